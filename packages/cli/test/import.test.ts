/** Imports, and how they go on. */
import type { Fetch } from "@mailroom/client"
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { exitCodes } from "../src/exitCodes.js"
import { startCli } from "./support/cli.js"

const { service, home, agent } = startCli()

const FROM = "From ada@example.org Fri Jan  5 10:00:00 2018"
const aMail = (subject: string, year = 2018) =>
  `From: ada@example.org\nSubject: ${subject}\nDate: Fri, 5 Jan ${year} 10:00:00 +0100\nMessage-ID: <${subject}@x.org>\n\nHi\n`
const mboxOf = (...mails: ReadonlyArray<string>) => mails.map((mail) => `${FROM}\n${mail}\n`).join("")

const file = (name: string, content: string) => {
  const path = join(home, name)
  writeFileSync(path, content)
  return path
}

it("what was exported is imported into another mailbox with the same bytes and read marks, once", async () => {
  const { cli, json, address, mailroom, mailboxId } = await agent()
  await service.receive(address, { subject: "One", text: "From here\r\n>From there" }, { subject: "Two" })
  await mailroom.messages.send(mailboxId, { to: ["bob@partner.dev"], subject: "Out", bodyText: "Three" })
  await service.settle()
  const { items } = await mailroom.messages.list(mailboxId)
  const read = items.find(({ subject }) => subject === "One")
  await mailroom.messages.update(mailboxId, read?.id ?? "", { read: true })
  const rawsOf = async (id: string) => {
    const page = await mailroom.messages.list(id)
    const raws = page.items.map(async (item) => (await mailroom.messages.raw(id, item.id)).text())
    return (await Promise.all(raws)).toSorted()
  }
  for (const [index, format] of ["maildir", "mbox"].entries()) {
    const target = await mailroom.mailboxes.create({ address: `archive${index}` })
    await service.settle()
    const path = join(home, `round.${format}`)
    await json(["export", path, "--format", format, "--mailbox", address])
    const words = ["import", path, "--mailbox", target.fullAddress]
    expect(await json(words)).toEqual({
      imported: 3,
      existing: 0,
      refused: 0,
      gone: 0,
      bytes: expect.any(Number),
    })
    expect(await rawsOf(target.id)).toEqual(await rawsOf(mailboxId))
    expect(await json(words)).toMatchObject({ imported: 0, existing: 3 })
    const unread = await mailroom.messages.list(target.id, { unread: true })
    expect(unread.items).toHaveLength(format === "maildir" ? 2 : 0)
  }
  const again = await cli(["import", join(home, "round.mbox"), "--mailbox", address])
  expect(again.out).toMatch(/: 0 mails, .*, 3 were there already\./)
})

it("a Maildir's flags become read marks and labels; drafts and trashed mail stay behind", async () => {
  const { json, mailroom, mailboxId } = await agent()
  const path = join(home, "flags")
  for (const folder of ["cur", "new", "tmp"]) mkdirSync(join(path, folder), { recursive: true })
  for (const name of [
    "cur/1:2,S",
    "cur/2:2,FRS",
    "cur/3:2,",
    "cur/4:2,ST",
    "cur/5:2,D",
    "new/6",
    "cur/.hidden",
  ])
    writeFileSync(join(path, name), aMail(name.replace(/\W/g, "")))
  expect(await json(["import", path, "--label", "old"])).toMatchObject({ imported: 4 })
  const { items } = await mailroom.messages.list(mailboxId)
  const shown = items.map(({ subject, readAt, labels }) => `${subject} ${readAt !== null} ${labels.join()}`)
  expect(shown.toSorted()).toEqual([
    "cur12S true old",
    "cur22FRS true old,flagged,answered",
    "cur32 false old",
    "new6 false old",
  ])
})

it("a Maildir that a mail program uses meanwhile is imported: renamed files are found again, removed ones are counted", async () => {
  const { json, mailroom, mailboxId } = await agent()
  const path = join(home, "in use")
  for (const folder of ["cur", "new"]) mkdirSync(join(path, folder), { recursive: true })
  const names = ["cur/1:2,S", "cur/2:2,S", "cur/3:2,S", "cur/4:2,S", "cur/5:2,", "new/6", "cur/7:2,", "new/8"]
  for (const name of names) writeFileSync(join(path, name), aMail(name.replace(/\W/g, "")))
  const move = (from: string, to: string) => renameSync(join(path, from), join(path, to))
  let isInUse = false
  const use = () => {
    isInUse = true
    move("cur/5:2,", "cur/5:2,FS")
    move("new/6", "cur/6:2,S")
    move("cur/7:2,", "cur/7:2,ST")
    rmSync(join(path, "new/8"))
  }
  const fetch: Fetch = (url, init) => {
    if (url.includes("/import") && !isInUse) use()
    return service.fetch(url, init)
  }
  expect(await json(["import", path], { fetch })).toMatchObject({ imported: 6, gone: 1, refused: 0 })
  const { items } = await mailroom.messages.list(mailboxId)
  const five = items.find(({ subject }) => subject === "cur52")
  expect(five).toMatchObject({ readAt: expect.any(String), labels: ["flagged"] })
  expect(await json(["import", path, "--from", "new/6"])).toMatchObject({ imported: 0, existing: 1 })
})

it("a mail that a proxy does not let through is refused alone", async () => {
  const { cli } = await agent()
  const path = file("proxy.mbox", mboxOf(aMail("large"), aMail("small")))
  const fetch: Fetch = async (url, init) =>
    init.body instanceof Blob && (await init.body.text()).includes("large")
      ? new Response("<h1>Request Entity Too Large</h1>", { status: 413 })
      : service.fetch(url, init)
  const ran = await cli(["import", path], { fetch })
  expect(ran).toMatchObject({ code: exitCodes.refused })
  expect(ran.out).toContain("1 mails, ")
})

it("refused mails are named with their position, and the others are imported", async () => {
  const { cli, json, mailroom, mailboxId } = await agent()
  const path = file("refused.mbox", mboxOf(aMail("a"), "", aMail("b")))
  const position = `${FROM}\n${aMail("a")}\n`.length
  const ran = await cli(["import", path])
  expect(ran).toMatchObject({ code: exitCodes.refused })
  expect(ran.err).toContain(`${position}: `)
  expect(ran.out).toContain("2 mails")
  expect(ran.out).toContain("1 were refused")
  const { out, err } = await cli(["import", path, "--json"])
  expect(JSON.parse(out)).toMatchObject({ imported: 0, existing: 2, refused: 1 })
  expect(JSON.parse(err.split("\n")[0] ?? "")).toMatchObject({
    position: String(position),
    code: "VALIDATION_FAILED",
  })
  const later = file("later.mbox", mboxOf(aMail("c"), aMail("d")))
  const from = String(`${FROM}\n${aMail("c")}\n`.length)
  expect(await json(["import", later, "--from", from, "--sent"])).toMatchObject({ imported: 1 })
  const { items } = await mailroom.messages.list(mailboxId, { direction: "OUTBOUND" })
  expect(items).toMatchObject([{ subject: "d", status: "SENT" }])
})

it("a file that is no mbox is refused, and an empty one has no mails", async () => {
  const { cli, json } = await agent()
  const ran = await cli(["import", file("single.eml", aMail("single"))])
  expect(ran).toMatchObject({ code: exitCodes.failure, out: "" })
  expect(ran.err).toContain("single.eml is no mbox file")
  expect(ran.err).toContain("Maildir")
  expect(await json(["import", file("empty.mbox", "")])).toMatchObject({ imported: 0 })
})

it("a bar shows the progress on a terminal, and nothing does in a pipe", async () => {
  const { cli } = await agent()
  const path = file("bar.mbox", mboxOf(aMail("a"), aMail("b")))
  expect((await cli(["import", path])).err).toBe("")
  const { err } = await cli(["import", path], { columns: 100 })
  expect(err).toContain("[##############################] 100 %  0 mails, ")
})

it("waits when the service says so, and ends with the position when it goes away", async () => {
  const { json, cli } = await agent()
  const many = Array.from({ length: 120 }, (_, index) => aMail(`m${index}`))
  const path = file("many.mbox", mboxOf(...many))
  expect(await json(["import", path])).toMatchObject({ imported: 120 })
  const ran = await cli(["import", path], { environment: { MAILROOM_API_KEY: "mr_wrong" } })
  expect(ran).toMatchObject({ code: exitCodes.signedOut })
  for (const wrong of [join(home, "absent"), home])
    expect(await cli(["import", wrong])).toMatchObject({ code: exitCodes.failure })
  expect(readdirSync(home)).toContain("many.mbox")
  expect(readFileSync(path, "latin1")).toBe(mboxOf(...many))
})
