/** The main job of an agent, in a shell. */
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { BASE_URL } from "../../client/test/support/service.js"
import { startCli } from "./support/cli.js"

const { service, home, mailroom, agent } = startCli()

it("login stores a key that works in a file that only its owner can read, and whoami shows no key", async () => {
  const { key } = await service.agent()
  const refused = await mailroom(["login", "--url", BASE_URL], { input: "mr_wrong\n" })
  expect(refused).toMatchObject({ code: 5, out: "" })
  const signedIn = await mailroom(["login", "--url", `${BASE_URL}/`], { input: `${key}\n` })
  expect(signedIn.code).toBe(0)
  expect(signedIn.out).not.toContain(key)
  const path = join(home, ".config", "mailroom", "config.json")
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(join(home, ".config", "mailroom")).mode & 0o777).toBe(0o700)
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
    current: "default",
    profiles: { default: { url: BASE_URL, apiKey: key } },
  })
  const who = await mailroom(["whoami"])
  expect(who).toMatchObject({ code: 0, err: "" })
  expect(who.out).toContain(BASE_URL)
  expect(who.out).not.toContain(key)
})

it("signup stores the first key in a profile of its own, which --profile chooses, and logout removes it", async () => {
  const words = ["signup", "--url", BASE_URL, "--email", "owner@shell.dev", "--slug", "shell-people"]
  const signedUp = await mailroom([...words, "--profile", "second"], { input: "correct horse battery\n" })
  expect(signedUp).toMatchObject({ code: 0, err: "" })
  expect(signedUp.out).not.toContain("mr_")
  const who = await mailroom(["whoami", "--profile", "second"])
  expect(who.out).toMatch(/Account +shell-people/)
  expect((await mailroom(["logout", "--profile", "second"])).code).toBe(0)
  expect((await mailroom(["whoami", "--profile", "second"])).code).toBe(5)
  expect((await mailroom(["whoami"])).code).toBe(0)
})

it("signup makes no account when its key has no place: a profile has one already, or the file cannot be written", async () => {
  const words = ["signup", "--url", BASE_URL, "--email", "owner@once.dev", "--slug", "once"]
  const input = "correct horse battery\n"
  const path = join(home, ".config", "mailroom", "config.json")
  const before = readFileSync(path, "utf8")
  const taken = await mailroom([...words, "--profile", "default"], { input })
  expect(taken).toMatchObject({ code: 1, out: "" })
  expect(taken.err).toContain("Profile default has a key already.")
  expect(readFileSync(path, "utf8")).toBe(before)
  // Nobody makes a folder there, not even root.
  const unwritable = await mailroom(words, { input, environment: { XDG_CONFIG_HOME: "/sys" } })
  expect(unwritable).toMatchObject({ code: 1, out: "" })
  expect(unwritable.err).toContain("/sys/mailroom/config.json cannot be used")
  expect((await mailroom([...words, "--profile", "once"], { input })).code).toBe(0)
  expect((await mailroom(["logout", "--profile", "once"])).code).toBe(0)
})

it("a file with keys that others can read is refused, until its rights are mended", async () => {
  const path = join(home, ".config", "mailroom", "config.json")
  chmodSync(path, 0o644)
  const refused = await mailroom(["whoami"])
  expect(refused).toMatchObject({ code: 1, out: "" })
  expect(refused.err).toContain("chmod 600")
  chmodSync(path, 0o600)
  expect((await mailroom(["whoami"])).code).toBe(0)
})

it("the key of a profile does not go to another service", async () => {
  const refused = await mailroom(["whoami"], { environment: { MAILROOM_URL: "https://elsewhere.example" } })
  expect(refused).toMatchObject({ code: 5, out: "" })
  expect(refused.err).toContain("MAILROOM_API_KEY")
})

it("a mailbox is made, mail is waited for, read, answered with a file, forwarded, listed and found", async () => {
  const { cli, json } = await agent()
  const mailbox = await cli(["mailboxes", "create", "sales", "--name=Sales"])
  expect(mailbox).toMatchObject({ code: 0, err: "" })
  await service.settle()
  const listed = await json(["mailboxes", "list"])
  expect(listed).toMatchObject({ hasMore: false, items: [{}, { address: "sales", displayName: "Sales" }] })
  const [, address = ""] = /Address\s+(\S+)/.exec(mailbox.out) ?? []

  const waiting = cli(["wait", "--mailbox", "sales", "--subject", "order", "--timeout=20", "--json"])
  await service.receive(address, { subject: "My order", text: "Ten pencils, please." })
  const { message } = JSON.parse((await waiting).out)

  const text = await cli(["read", message.id])
  expect(text.out).toContain("Ten pencils, please.")
  expect((await cli(["read", message.id, "--format", "raw"])).out).toContain("Subject: My order\r\n")
  expect((await cli(["read", message.id, "--format", "headers"])).out).toMatch(/^subject: My order$/im)

  const file = join(home, "bill.txt")
  writeFileSync(file, "10 €")
  const sent = await json(["reply", message.id, "--attach", file], { input: "They are on their way.\n" })
  expect(sent).toMatchObject({
    message: { subject: "Re: My order", attachments: [{ filename: "bill.txt", contentType: "text/plain" }] },
  })
  const forwarded = await cli(["forward", message.id, "--to", "boss@corp.dev", "--text", "See below"])
  expect(forwarded.out).toMatch(/^Sent \S+ to boss@corp\.dev\.\n$/)

  const inbox = await json(["inbox", "--mailbox", address])
  expect(inbox).toMatchObject({ hasMore: false, items: [{ id: message.id }] })
  expect(await json(["inbox", "--all", "--limit", "1"])).toMatchObject({ hasMore: true, items: [{}] })
  expect(await json(["search", "in:inbound pencils"])).toMatchObject({ items: [{ id: message.id }] })
})

it("a sent mail that is HTML alone is read as the text of its HTML; a format that it does not have is told beside the result", async () => {
  const { cli, json, address } = await agent()
  await cli(["send", "--to", "a@corp.dev", "--subject", "HTML", "--html", "<p>Ten <b>pencils</b></p>"])
  const [sent = ""] = (await cli(["inbox", "--sent"])).out.split("\t")
  const text = await cli(["read", sent])
  expect(text.out).toMatch(/\n\nTen pencils\n$/)
  expect(text.err).toContain("HTML alone")
  await service.receive(address, { subject: "Text", text: "Ten pencils" })
  const [received = ""] = (await cli(["inbox"])).out.split("\t")
  expect(await cli(["read", received])).toMatchObject({ err: "" })
  const html = await cli(["read", received, "--format", "html"])
  expect(html).toMatchObject({ code: 0, out: "", err: expect.stringContaining("no HTML") })
  expect(await json(["read", received, "--format", "html"])).toMatchObject({ id: received })
})

it("a scheduled mail that a person has to approve waits for a review, and is sent at its time after it", async () => {
  const { cli } = await agent()
  const at = new Date(Date.now() + 86_400_000).toISOString()
  const words = ["send", "--to", "a@corp.dev", "--subject", "Later", "--text", "x", "--at", at]
  const scheduled = await cli(words)
  expect(scheduled.out).toMatch(/^Draft \S+ is sent at \d{4}-\d\d-\d\d \d\d:\d\d\.\n$/)
  await cli(["mailboxes", "update", "agent", "--outbound-policy", "review"])
  const held = await cli(words)
  const [, draft = ""] =
    /^Draft (\S+) waits for a review, and is sent at [-\d]+ [:\d]+ after it: mailroom reviews show/.exec(
      held.out,
    ) ?? []
  const shown = (await cli(["drafts", "show", draft])).out
  expect(shown).toMatch(/^Send at +\d{4}-/m)
  const [, digest = ""] = /Digest\s+([0-9a-f]{64})/.exec(shown) ?? []
  const approved = await cli(["reviews", "approve", draft, "--digest", digest])
  expect(approved.out).toMatch(/^Draft \S+ is sent at /)
})

it("the standard input is the text of send and reply; forward and drafts create read it with --text - alone", async () => {
  const { cli, json, address } = await agent()
  await service.receive(address, { subject: "List", text: "One" })
  const [id = ""] = (await cli(["inbox"])).out.split("\t")
  const input = "b@corp.dev\nc@corp.dev\n"
  const forward = ["forward", id, "--to", "a@corp.dev"]
  const draft = ["drafts", "create", "--to", "a@corp.dev", "--subject", "x"]
  const send = ["send", "--to", "a@corp.dev", "--subject", "x"]
  const forwarded = JSON.stringify(await json(forward, { input }))
  expect(forwarded).toContain("One")
  expect(forwarded).not.toContain("c@corp.dev")
  expect(await json(draft, { input })).toMatchObject({ bodyText: null })
  for (const words of [send, ["reply", id]])
    expect(JSON.stringify(await json(words, { input }))).toContain("c@corp.dev")
  for (const words of [forward, draft, send, ["reply", id]])
    expect(JSON.stringify(await json([...words, "--text", "-"], { input }))).toContain("c@corp.dev")
})

it("an option may stand behind an argument that begins with one -", async () => {
  const { cli, json, address } = await agent()
  await service.receive(address, { subject: "One" }, { subject: "Two" })
  expect(await json(["search", "-is:read", "--limit", "1"])).toMatchObject({ items: [{}], hasMore: true })
  expect(await json(["search", "--limit", "1", "-is:read"])).toMatchObject({ items: [{}] })
  const unknown = await cli(["inbox", "-n", "5"])
  expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining("'-n'") })
})

it("a repeated send with the same idempotency key sends once", async () => {
  const { json } = await agent()
  const words = [
    "send",
    "--to",
    "a@corp.dev",
    "--subject",
    "Once",
    "--text",
    "x",
    "--idempotency-key",
    "once-1",
  ]
  const first = await json(words)
  expect(await json(words)).toEqual(first)
  expect(await json(["inbox", "--sent"])).toMatchObject({ items: [{ subject: "Once" }] })
})

it("wait prints a login code alone, or a link alone, and exits with 3 when nothing comes", async () => {
  const { cli, address } = await agent()
  await service.receive(address, {
    subject: "Sign in",
    text: "Your verification code is 482913. https://a.example/x",
  })
  expect(await cli(["wait", "--code", "--since", "5m"])).toEqual({ code: 0, out: "482913\n", err: "" })
  expect(await cli(["wait", "--link", "--since", "5m"])).toMatchObject({
    code: 0,
    out: "https://a.example/x\n",
  })
  const nothing = await cli(["wait", "--timeout", "0"])
  expect(nothing).toMatchObject({ code: 3, out: "" })
  expect(nothing.err.trimEnd().split("\n")).toHaveLength(2)
})
