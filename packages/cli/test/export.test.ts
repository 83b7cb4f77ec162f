/** Exports, and how they continue. */
import type { Fetch } from "@mailroom/client"
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { exitCodes } from "../src/exitCodes.js"
import { mboxEntry } from "../src/exporting.js"
import { startCli } from "./support/cli.js"

const { service, home, agent } = startCli()

it("a Maildir has each mail as it was received, and a second export adds what came since", async () => {
  const { cli, json, address } = await agent()
  await service.receive(address, { subject: "One" }, { subject: "Two" })
  const path = join(home, "maildir")
  expect(await json(["export", path])).toMatchObject({ exported: 2, earlier: 0 })
  await service.receive(address, { subject: "Three" })
  expect((await cli(["export", path])).out).toContain("1 messages")
  const names = readdirSync(join(path, "cur"))
  expect(names).toHaveLength(3)
  const [first = ""] = names.toSorted()
  expect(statSync(join(path, "cur", first)).mode & 0o777).toBe(0o600)
  const [id = ""] = first.split(":")
  expect(readFileSync(join(path, "cur", first), "utf8")).toBe(
    (await cli(["read", id, "--format", "raw"])).out,
  )
})

it("an mbox file continues after a message that was written in part, and no other file is touched", async () => {
  const { json, cli, address } = await agent()
  await service.receive(address, { subject: "One", text: "From here on" })
  const path = join(home, "mail.mbox")
  await json(["export", path, "--format", "mbox"])
  const first = readFileSync(path, "latin1")
  expect(first).toMatch(/^From bob@sender\.dev \w{3} \w{3} \d\d \d\d:\d\d:\d\d \d{4}\n/)
  expect(first).toContain("\n>From here on")
  appendFileSync(path, "From half a mess")
  await service.receive(address, { subject: "Two" })
  expect(await json(["export", path, "--format", "mbox"])).toMatchObject({ exported: 1, earlier: 1 })
  const whole = readFileSync(path, "latin1")
  expect(whole.startsWith(first)).toBe(true)
  expect(whole.match(/^From /gm)).toHaveLength(2)
  const other = join(home, "other.mbox")
  writeFileSync(other, "mine")
  expect(await cli(["export", other, "--format", "mbox"])).toMatchObject({ code: exitCodes.failure, out: "" })
  expect(readFileSync(other, "utf8")).toBe("mine")
})

it("a connection that breaks within a mail is no fault of the program, and an export downloads the mail again", async () => {
  const { cli, json, address, mailroom, mailboxId } = await agent()
  await service.receive(address, { subject: "One" })
  let breaks = 2
  const fetch: Fetch = async (url, init) => {
    if (!url.includes("/raw") || breaks-- <= 0) return service.fetch(url, init)
    return new Response(new ReadableStream({ pull: (body) => body.error(new TypeError("terminated")) }))
  }
  expect(await json(["export", join(home, "broken")], { fetch })).toMatchObject({ exported: 1 })
  const [mail] = (await mailroom.messages.list(mailboxId)).items
  for (const words of [
    ["read", mail?.id ?? "", "--format", "raw"],
    ["export", join(home, "broken again")],
  ]) {
    breaks = 3
    const ran = await cli(words, { fetch })
    expect(ran).toMatchObject({ code: exitCodes.unreachable, out: "" })
    expect(ran.err).toContain("cannot be reached (terminated)")
  }
})

it("the export of an empty mailbox continues, too", async () => {
  const { json, address } = await agent()
  const words = ["export", join(home, "empty.mbox"), "--format", "mbox"]
  expect(await json(words)).toMatchObject({ exported: 0 })
  await service.receive(address, { subject: "One" })
  expect(await json(words)).toMatchObject({ exported: 1 })
})

it("quarantined mail is exported, and counted", async () => {
  const { cli, json, address, mailroom, mailboxId } = await agent()
  await service.receive(address, { subject: "One" }, { subject: "Two" })
  const { items } = await mailroom.messages.list(mailboxId)
  await mailroom.messages.quarantine(mailboxId, items[0]?.id ?? "")
  const path = join(home, "quarantined")
  expect((await cli(["export", path])).out).toContain("2 messages, ")
  expect(readdirSync(join(path, "cur"))).toHaveLength(2)
  const other = [join(home, "quarantined.mbox"), "--format", "mbox"]
  expect(await json(["export", ...other])).toMatchObject({ exported: 2, quarantined: 1 })
})

it("an mbox file that was moved away or shortened since is not continued", async () => {
  const { json, cli, address } = await agent()
  await service.receive(address, { subject: "One" })
  const path = join(home, "moved.mbox")
  const words = ["export", path, "--format", "mbox"]
  await json(words)
  const whole = readFileSync(path)
  await service.receive(address, { subject: "Two" })
  rmSync(path)
  expect(await cli(words)).toMatchObject({ code: exitCodes.failure, out: "" })
  expect(existsSync(path)).toBe(false)
  writeFileSync(path, whole.subarray(0, 10))
  const shortened = await cli(words)
  expect(shortened).toMatchObject({ code: exitCodes.failure, out: "" })
  expect(shortened.err).toContain(`${path} has 10 bytes`)
  expect(readFileSync(path)).toEqual(whole.subarray(0, 10))
  writeFileSync(path, whole)
  expect(await json(words)).toMatchObject({ exported: 1, earlier: 1 })
})

it("mboxrd quotes lines that begin with From, however often they are quoted", () => {
  const raw = Buffer.from("A: b\r\n\r\nFrom x\r\n>From y\r\nfrom z", "latin1")
  const entry = mboxEntry({ id: "1", fromAddress: "", createdAt: "2026-11-03T09:15:56Z", isRead: true, raw })
  expect(entry.toString("latin1")).toBe(
    "From MAILER-DAEMON Tue Nov 03 09:15:56 2026\nA: b\n\n>From x\n>>From y\nfrom z\n\n",
  )
})
