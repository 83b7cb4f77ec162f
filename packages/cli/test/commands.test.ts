/** The other commands, their JSON, and their failures. */
import { Schema } from "effect"
import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { exitCodes } from "../src/exitCodes.js"
import { startCli } from "./support/cli.js"

const { service, home, mailroom, agent } = startCli()

it("a held send is shown whole, approved with its digest, and rejected with another", async () => {
  const { cli, json } = await agent()
  await cli(["mailboxes", "update", "agent", "--outbound-policy", "review"])
  const held = await cli(["send", "--to", "new@corp.dev", "--subject", "Offer", "--text", "10 €"])
  const [, draft = ""] = /^Draft (\S+) waits for a review/.exec(held.out) ?? []
  expect(await json(["reviews", "list"])).toMatchObject({ items: [{ id: draft, status: "PENDING_REVIEW" }] })
  const shown = await cli(["reviews", "show", draft])
  for (const part of ["new@corp.dev", "Offer", "10 €", "the mailbox reviews every send"])
    expect(shown.out).toContain(part)
  const [, digest = ""] = /Digest\s+([0-9a-f]{64})/.exec(shown.out) ?? []
  const mismatch = await cli(["reviews", "approve", draft, "--digest", "0".repeat(64)])
  expect(mismatch).toMatchObject({ code: exitCodes.refused, out: "" })
  expect(mismatch.err).toContain("reviews show")
  expect(await cli(["reviews", "approve", draft, "--digest", digest])).toMatchObject({
    code: 0,
    out: `Sent ${draft} to new@corp.dev.\n`,
  })
  const second = await json(["send", "--to", "b@corp.dev", "--subject", "No", "--text", "x"])
  expect(second).toMatchObject({ draft: { status: "PENDING_REVIEW" } })
  const [again] = (await cli(["reviews", "list"])).out.split("\t")
  expect(await cli(["reviews", "reject", again ?? "", "--reason", "Too dear"])).toMatchObject({ code: 0 })
  expect(await json(["drafts", "list", "--status", "REJECTED"])).toMatchObject({ items: [{ id: again }] })
})

it("an approved draft that is refused is a failure with its reason; one that has to wait says for what", async () => {
  const { cli, mailroom: client, mailboxId } = await agent()
  await cli(["mailboxes", "update", "agent", "--outbound-policy", "review"])
  const held = async (to: string) => {
    const { draft } = await client.messages.send(mailboxId, { to: [to], subject: "Offer", bodyText: "10 €" })
    return draft === undefined ? [] : [draft.id, "--digest", draft.digest]
  }
  const [refused, waiting] = [await held("gone@corp.dev"), await held("later@corp.dev")]
  await client.suppressions.create({ email: "gone@corp.dev" })
  expect(await cli(["reviews", "approve", ...refused])).toEqual({
    code: exitCodes.refused,
    out: "",
    err: `Draft ${refused[0]} was not sent: gone@corp.dev is on the suppression list\nDo not write to this address: it bounced, complained or unsubscribed.\n`,
  })
  await client.account.update({ sendingPaused: true })
  const { code, out } = await cli(["reviews", "approve", ...waiting])
  expect({ code, out }).toEqual({
    code: 0,
    out: `Draft ${waiting[0]} waits until the relay is back or the account may send again: mailroom drafts show ${waiting[0]}\n`,
  })
})

it("a draft is written, sent and removed; threads show the mail", async () => {
  const { cli, json } = await agent()
  const created = await cli(["drafts", "create", "--to", "a@corp.dev", "--subject", "Later", "--text", "-"], {
    input: "Soon.\n",
  })
  const [, draft = ""] = /Id\s+(\S+)/.exec(created.out) ?? []
  expect(await cli(["drafts", "send", draft])).toMatchObject({
    code: 0,
    out: `Sent ${draft} to a@corp.dev.\n`,
  })
  const other = await cli(["drafts", "create", "--subject", "Never", "--text", "x"])
  const [, second = ""] = /Id\s+(\S+)/.exec(other.out) ?? []
  expect(await cli(["drafts", "remove", second, "--yes"])).toMatchObject({ code: 0 })
  const threads = await json(["threads", "list"])
  expect(threads).toMatchObject({ items: [{ subject: "Later" }], hasMore: false })
  const [thread = ""] = (await cli(["threads", "list"])).out.split("\t")
  expect((await cli(["threads", "show", thread])).out).toContain("Soon.")
})

it("a key is printed when it is made, alone, and by no other command", async () => {
  const { cli, json, key } = await agent()
  const made = await cli(["keys", "create", "worker", "--mailbox", "agent", "--permission", "read"])
  expect(made.out).toMatch(/^mr_[0-9a-f]+\n$/)
  const listed = await cli(["keys", "list"])
  expect(listed.out).not.toContain(made.out.trim())
  expect(listed.out).not.toContain(key)
  const scoped = { environment: { MAILROOM_API_KEY: made.out.trim() } }
  const denied = await cli(["send", "--to", "a@corp.dev", "--subject", "x", "--text", "x"], scoped)
  expect(denied).toMatchObject({ code: exitCodes.refused, out: "" })
  expect(denied.err).not.toContain("mr_")
  expect(await json(["whoami"], scoped)).toMatchObject({ principal: { permissions: ["read"] } })
})

it("domains print every record to publish, uncut, and tell by the exit code that they are not verified", async () => {
  const { cli, json } = await agent()
  const added = await cli(["domains", "add", "mail.corp.dev"], { columns: 60 })
  expect(added.code).toBe(0)
  expect(added.out).toMatch(/MX\s+mail\.corp\.dev\s+10 mx\./)
  expect(added.out).toMatch(/_domainkey\.mail\.corp\.dev\s+v=DKIM1;[^…]+$/m)
  const unverified = await cli(["domains", "verify", "mail.corp.dev"])
  expect(unverified.code).toBe(exitCodes.nothing)
  expect(await json(["domains", "show", "mail.corp.dev"])).toMatchObject({
    domain: { domain: "mail.corp.dev" },
  })
  expect(await cli(["domains", "remove", "mail.corp.dev", "--yes"])).toMatchObject({ code: 0 })
})

it("webhooks are made with a secret that no other command shows, listed, paused and removed", async () => {
  const { cli, json } = await agent()
  const words = ["webhooks", "create", "https://receiver.mailroom.dev/hook", "--event", "message.received"]
  const made = await cli([...words, "--event=message.sent"])
  const [, id = "", secret = ""] = /Id\s+(\S+)\nSecret\s+(whsec_\S+)/.exec(made.out) ?? []
  expect(await json(["webhooks", "list"])).toMatchObject({
    items: [{ id, events: ["message.received", "message.sent"] }],
  })
  expect((await cli(["webhooks", "get", id])).out).not.toContain(secret)
  expect((await cli(["webhooks", "update", id, "--status", "PAUSED"])).out).toMatch(/Status\s+PAUSED/)
  expect(await cli(["webhooks", "remove", id, "--yes"])).toMatchObject({ code: 0 })
})

it("mail that attacks the terminal is printed without its control characters", async () => {
  const { cli, address } = await agent()
  const subject = "=?utf-8?Q?Pay_=1B[2J=1B]0;root=07=C2=9B31m_=E2=80=AEgpj.exe?="
  await service.receive(address, {
    subject,
    text: "\u001b[8mhidden\u001b[0m\u001b]52;c;ZXZpbA==\u0007\r\nfine",
  })
  const [id = ""] = (await cli(["inbox"])).out.split("\t")
  const hostile = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/
  for (const words of [
    ["inbox"],
    ["read", id],
    ["read", id, "--format", "headers"],
    ["search", "fine"],
    ["threads", "list"],
  ]) {
    const piped = await cli(words)
    expect(piped).toMatchObject({ code: 0 })
    expect(piped.out).not.toMatch(hostile)
    const onTerminal = await cli(words, { columns: 100, environment: { NO_COLOR: "1" } })
    expect(onTerminal.out).not.toMatch(hostile)
  }
  expect((await cli(["read", id, "--format", "raw"], { columns: 80 })).out).not.toMatch(hostile)
  expect((await cli(["read", id, "--format", "raw"])).out).toContain("\u001b[8mhidden")
  const json = (await cli(["read", id, "--json"])).out
  expect(json).not.toMatch(hostile)
  expect(JSON.parse(json).bodyText).toContain("\u001b[8mhidden")
})

const Document = Schema.Struct({
  components: Schema.Struct({
    schemas: Schema.Record({
      key: Schema.String,
      value: Schema.Struct({
        properties: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
        required: Schema.optional(Schema.Array(Schema.String)),
      }),
    }),
  }),
})

const Items = Schema.Struct({
  items: Schema.NonEmptyArray(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  hasMore: Schema.Boolean,
})

it("JSON has the resources of the OpenAPI document", async () => {
  const { cli, json, address } = await agent()
  await service.receive(address, { subject: "One" })
  await cli(["drafts", "create", "--subject", "Later", "--text", "x"])
  await cli(["domains", "add", "mail.json.dev"])
  await cli(["webhooks", "create", "https://receiver.mailroom.dev/hook", "--event", "message.received"])
  const document = await service.fetch("http://mailroom.test/openapi.json", {})
  const { schemas } = Schema.decodeUnknownSync(Document)(await document.json()).components
  const lists = [
    ["MessageListItem", ["inbox"]],
    ["FoundMessage", ["search", "one"]],
    ["Mailbox", ["mailboxes", "list"]],
    ["Thread", ["threads", "list"]],
    ["DraftListItem", ["drafts", "list"]],
    ["ApiKey", ["keys", "list"]],
    ["Webhook", ["webhooks", "list"]],
    ["Domain", ["domains", "list"]],
  ] as const
  for (const [name, words] of lists) {
    const { items } = Schema.decodeUnknownSync(Items, { onExcessProperty: "error" })(await json(words))
    const { properties = {}, required = [] } = schemas[name] ?? {}
    expect(required.length).toBeGreaterThan(0)
    expect(Object.keys(items[0])).toEqual(expect.arrayContaining([...required]))
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(items[0])))
  }
})

it("doctor checks the service of the profile that MAILROOM_PROFILE names", async () => {
  const XDG_CONFIG_HOME = join(home, "two-profiles")
  const profile = (url: string) => ({ url, apiKey: "mr_1" })
  const profiles = { one: profile("http://one.test"), two: profile("http://two.test") }
  mkdirSync(join(XDG_CONFIG_HOME, "mailroom"), { recursive: true })
  writeFileSync(
    join(XDG_CONFIG_HOME, "mailroom", "config.json"),
    JSON.stringify({ current: "one", profiles }),
    { mode: 0o600 },
  )
  const { out } = await mailroom(["doctor", "--json"], {
    environment: { XDG_CONFIG_HOME, MAILROOM_PROFILE: "two" },
  })
  const { items } = JSON.parse(out)
  expect(items).toContainEqual(expect.objectContaining({ check: "http", subject: "http://two.test" }))
})

it("help is short: commands with their descriptions, a usage with the whole command, no types of options", async () => {
  const all = await mailroom(["--help"])
  expect(all.out).toMatch(/^ {2}drafts create +Create a draft$/m)
  expect(Math.max(...all.out.split("\n").map((line) => line.length))).toBeLessThan(150)
  expect(all.out).not.toMatch(/ $/m)
  expect((await mailroom(["inbox", "--help"])).out).toMatch(/^\$ mailroom inbox \[--from text\]/m)
  const create = (await mailroom(["drafts", "create", "--help"])).out
  expect(create).toMatch(/^\$ mailroom drafts create --to text/m)
  expect(create).not.toContain("user-defined")
  expect((await mailroom(["drafts", "--help"])).out).toMatch(/^mailroom drafts <command> --help/m)
})

it("help and completions have no colours when they are piped", async () => {
  const help = await mailroom(["send", "--help"])
  expect(help).toMatchObject({ code: 0, err: "" })
  expect(help.out).not.toContain("\u001b")
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, out } = await mailroom(["--completions", shell])
    expect(code).toBe(0)
    expect(out).toContain("mailboxes")
    if (shell === "bash") execFileSync("bash", ["-n"], { input: out })
  }
})
