/** Every tool by the official client, on the service in memory. */
import { describe, expect, it } from "vitest"
import { BASE_URL, startService } from "../../client/test/support/service.js"
import { call, connect, idIn, idsIn, refusal } from "./support/clients.js"
import { invitation } from "./support/invitation.js"

const service = startService()

/** An agent with its MCP client. */
const newAgent = async () => {
  const agent = await service.agent()
  const client = await connect({ url: BASE_URL, key: agent.key, fetch: service.fetch })
  return { ...agent, client }
}

const NAMES =
  "whoami get_account list_mailboxes create_mailbox list_messages search_messages get_message list_threads get_thread wait_for_message claim_message complete_message get_attachment_text send_message reply_to_message forward_message update_message create_draft send_draft respond_to_invitation"

describe("the list of tools", () => {
  it("has these twenty, with schemas and hints", async () => {
    const { client } = await newAgent()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(NAMES.split(" "))
    for (const { description, inputSchema, outputSchema, annotations } of tools) {
      expect(description).not.toBe("")
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false })
      expect(outputSchema).toMatchObject({ type: "object" })
      expect(typeof annotations?.readOnlyHint).toBe("boolean")
      expect(typeof annotations?.openWorldHint).toBe("boolean")
    }
    const reading = tools.filter(({ annotations }) => annotations?.readOnlyHint === true)
    expect(reading.map(({ name }) => name)).toEqual([
      "whoami",
      "get_account",
      "list_mailboxes",
      "list_messages",
      "search_messages",
      "get_message",
      "list_threads",
      "get_thread",
      "wait_for_message",
      "get_attachment_text",
    ])
  })
})

describe("each tool", () => {
  it("whoami, list_mailboxes, create_mailbox: the caller and its addresses", async () => {
    const { client, address, mailboxId } = await newAgent()
    expect(await call(client, "whoami")).toMatchObject({
      account: { state: "active" },
      permissions: ["read", "send", "draft", "manage", "review"],
      mailboxes: [{ id: mailboxId, address, status: "ACTIVE" }],
      mailboxCount: 1,
    })
    const created = await call(client, "create_mailbox", { name: "sales", displayName: "Sales" })
    expect(created).toMatchObject({ mailbox: { displayName: "Sales" } })
    expect(await call(client, "list_mailboxes", { contains: "sales" })).toMatchObject({
      mailboxes: [{ address: `sales@${address.split("@")[1]}` }],
      total: 1,
      nextOffset: null,
    })
  })

  it("get_account: usage and limits, for a key of full access", async () => {
    const { client, mailroom, mailboxId } = await newAgent()
    await call(client, "send_message", { to: ["bob@sender.dev"], subject: "Hi", text: "Hi" })
    const { account } = await call(client, "get_account")
    expect(account).toMatchObject({ state: "active", sentToday: 1, mailboxCount: 1 })
    const { key } = await mailroom.keys.create({ name: "scoped", mailboxIds: [mailboxId] })
    const scoped = await connect({ url: BASE_URL, key, fetch: service.fetch })
    expect(await refusal(scoped, "get_account")).toMatchObject({ code: "SCOPE_FORBIDDEN" })
  })

  it("list_threads: newest activity first, in pages", async () => {
    const { client, address, mailboxId } = await newAgent()
    for (const subject of ["Invoice 7", "Lunch"]) await service.receive(address, { subject })
    const first = await call(client, "list_threads", { limit: 1 })
    expect(first).toMatchObject({ threads: [{ mailboxId, messageCount: 1 }] })
    expect(first.content).toMatch(/1\. .*bob@sender\.dev.*: Lunch/)
    const rest = await call(client, "list_threads", { cursor: first["nextCursor"] })
    expect(rest.content).toContain(": Invoice 7")
    expect(rest).toMatchObject({ nextCursor: null })
    expect((await call(client, "list_threads", { mailbox: address }))["threads"]).toHaveLength(2)
    const empty = await call((await newAgent()).client, "list_threads")
    expect(empty).toMatchObject({ threads: [], content: "(no threads)" })
  })

  it("list_messages, search_messages, get_message, get_thread, update_message: reading", async () => {
    const { client, address } = await newAgent()
    await service.receive(
      address,
      { subject: "Invoice 7", text: "Please pay ten euros." },
      { subject: "Lunch" },
    )
    const { messages } = await call(client, "list_messages", { from: "bob@sender.dev", limit: 1 })
    expect(messages).toHaveLength(1)
    const found = await call(client, "search_messages", { query: "euros", mailbox: address })
    expect(found.content).toContain("1. Bob <bob@sender.dev>: Invoice 7")
    expect(found).toMatchObject({
      messages: [{ unread: true, trust: { level: "unverified", reasons: [] } }],
    })
    const [{ id, threadId } = { id: "", threadId: "" }] = idsIn(found)
    const read = await call(client, "get_message", { messageId: id })
    expect(read.content).toContain("Subject: Invoice 7\n\nPlease pay ten euros.")
    expect((await call(client, "get_thread", { threadId })).content).toContain("Please pay ten euros.")
    expect(
      await call(client, "update_message", { messageId: id, read: true, addLabels: ["paid"] }),
    ).toMatchObject({
      unread: false,
      labels: ["paid"],
    })
    expect(await call(client, "list_messages", { labels: ["paid"], unread: false })).toMatchObject({
      messages: [{ id }],
    })
  })

  it("get_message, get_thread: the text of a sent mail that is HTML alone", async () => {
    const { client, mailroom, mailboxId } = await newAgent()
    const { message } = await mailroom.messages.send(mailboxId, {
      to: ["bob@sender.dev"],
      subject: "Offer",
      bodyHtml: "<p>Ten <b>euros</b>.</p>",
    })
    if (message === undefined) throw new Error("The mail was not sent")
    const { id: messageId, threadId } = message
    for (const format of ["text", "new"])
      expect((await call(client, "get_message", { messageId, format })).content).toContain("Ten euros.")
    expect((await call(client, "get_thread", { threadId })).content).toContain("Ten euros.")
  })

  it("get_message in parts and formats: the parts make the text", async () => {
    const { client, address } = await newAgent()
    const text = Array.from({ length: 2_000 }, (_, line) => `Line ${line} of the report.`).join("\r\n")
    await service.receive(address, { text, subject: "Report" })
    const [{ id } = { id: "" }] = idsIn(await call(client, "list_messages"))
    const first = await call(client, "get_message", { messageId: id })
    const { nextOffset } = first
    expect(nextOffset).toBeGreaterThan(1_000)
    const second = await call(client, "get_message", { messageId: id, offset: nextOffset })
    expect(second.content).not.toContain("Subject:")
    const all = await call(client, "get_message", { messageId: id, maxChars: 100_000 })
    expect(all).toMatchObject({ nextOffset: null })
    expect(all.content).toContain("Line 1999 of the report.")
    expect((await call(client, "get_message", { messageId: id, format: "headers" })).content).toMatch(
      /message-id/i,
    )
  })

  it("wait_for_message: the next message, or after since", async () => {
    const { client, address } = await newAgent()
    const since = new Date().toISOString()
    expect(await call(client, "wait_for_message", { timeoutSeconds: 0 })).toMatchObject({
      timedOut: true,
      message: null,
    })
    await service.receive(address, { subject: "Your code", text: "Your verification code is 824193." })
    const arrived = await call(client, "wait_for_message", { since, hasCode: true })
    expect(arrived).toMatchObject({ timedOut: false })
    expect(arrived.content).toContain("Codes: 824193")
  })

  it("claim_message, complete_message: one worker at a time", async () => {
    const { client, address } = await newAgent()
    await service.receive(address, { text: "Work" })
    const claimed = await call(client, "claim_message", {})
    const { id: messageId } = idIn(claimed)
    const { token } = claimed
    expect(await call(client, "claim_message", {})).toMatchObject({ message: null, token: null })
    expect(await refusal(client, "claim_message", { messageId })).toMatchObject({
      code: "CLAIMED",
      retryable: true,
    })
    expect(await refusal(client, "complete_message", { messageId, token: "wrong" })).toMatchObject({
      code: "CLAIM_LOST",
    })
    expect(await call(client, "complete_message", { messageId, token })).toMatchObject({ completed: true })
    expect(await call(client, "complete_message", { messageId, token })).toMatchObject({ completed: true })
  })

  it("get_attachment_text, and the file as a resource: text, or a link to the bytes", async () => {
    const { client, address } = await newAgent()
    await service.receive(
      address,
      { attachment: { filename: "prices.csv", type: "text/csv", content: "pencil,1.20" } },
      {
        attachment: { filename: "logo.png", type: "image/png", content: "iVBORw0KGgo=", encoding: "base64" },
      },
    )
    const listed = await call(client, "list_messages")
    const [picture = { id: "" }, table = { id: "" }] = idsIn(listed)
    const read = await call(client, "get_message", { messageId: table.id })
    const links = read.result.content.filter(({ type }) => type === "resource_link")
    expect(links).toMatchObject([
      { name: "attachment 1", uri: expect.stringMatching(/^mailroom:\/\/attachments\//) },
    ])
    const uri = String(links[0]?.["uri"])
    const text = await call(client, "get_attachment_text", { attachmentId: uri.split("/").at(-1) })
    expect(text).toMatchObject({ kind: "csv", nextOffset: null })
    expect(text.content).toContain("pencil,1.20")
    expect(JSON.stringify(await client.readResource({ uri }))).toContain("pencil,1.20")

    const { result } = await call(client, "get_message", { messageId: picture.id })
    const pictureUri = String(result.content.find(({ type }) => type === "resource_link")?.["uri"])
    const bytes = JSON.stringify(await client.readResource({ uri: pictureUri }))
    expect(bytes).toMatch(/\/content\?expires=/)
    expect(bytes).not.toContain("iVBORw0KGgo")
    const attachmentId = pictureUri.split("/").at(-1)
    expect(await refusal(client, "get_attachment_text", { attachmentId })).toMatchObject({
      code: "NO_TEXT",
      hint: expect.stringContaining("mailroom://attachments/"),
    })
    await expect(client.readResource({ uri: "mailroom://attachments/none" })).rejects.toThrow()
  })

  it("forward_message, respond_to_invitation, create_draft, send_draft", async () => {
    const { client, address, mailboxId } = await newAgent()
    await service.receive(address, invitation(address))
    const [{ id } = { id: "" }] = idsIn(await call(client, "list_messages"))
    expect((await call(client, "get_message", { messageId: id })).content).toContain(
      "Invitation: REQUEST Planning 2030-01-01T10:00:00Z",
    )
    expect(
      await call(client, "forward_message", { messageId: id, to: ["eve@partner.dev"], text: "See below" }),
    ).toMatchObject({ status: "sent", replayed: false })
    expect(await call(client, "respond_to_invitation", { messageId: id, status: "accepted" })).toMatchObject({
      status: "sent",
      replayed: false,
    })
    const draft = await call(client, "create_draft", {
      mailbox: mailboxId,
      to: ["eve@partner.dev"],
      subject: "Idea",
    })
    expect(draft).toMatchObject({ status: "draft", replayed: false })
    const { draftId } = draft
    expect(await refusal(client, "send_draft", { draftId })).toMatchObject({ code: "VALIDATION_FAILED" })
    const whole = await call(client, "create_draft", {
      to: ["eve@partner.dev"],
      subject: "Idea",
      text: "Tea?",
    })
    const sent = await call(client, "send_draft", { draftId: whole["draftId"] })
    expect(sent).toMatchObject({ status: "sent", replayed: false })
    expect(await call(client, "send_draft", { draftId: whole["draftId"] })).toMatchObject({
      status: "sent",
      replayed: true,
      messageId: sent["messageId"],
    })
  })
})

describe("a call", () => {
  it("needs no mailbox while there is one, and names them when there are several", async () => {
    const { client, address, mailroom } = await newAgent()
    await mailroom.mailboxes.create({ address: "sales" })
    await service.receive(address, {})
    const [{ id } = { id: "" }] = idsIn(await call(client, "list_messages"))
    expect(await refusal(client, "get_message", { messageId: id })).toMatchObject({
      code: "MAILBOX_REQUIRED",
      hint: expect.stringContaining(address),
    })
    const tagged = address.replace("@", "+tag@").toUpperCase()
    expect(await call(client, "get_message", { messageId: id, mailbox: tagged })).toMatchObject({
      message: { id },
    })
    expect(await refusal(client, "get_message", { messageId: id, mailbox: "nobody@acme.dev" })).toMatchObject(
      {
        code: "MAILBOX_NOT_FOUND",
        hint: expect.stringContaining(address),
      },
    )
  })

  it("with wrong arguments says what is right", async () => {
    const { client } = await newAgent()
    expect(
      await refusal(client, "send_message", { to: ["a@b.dev"], subject: "Hi", bodyText: "Hi" }),
    ).toMatchObject({
      code: "VALIDATION_FAILED",
      message: "bodyText: no such field, did you mean text?",
      hint: expect.stringContaining("mailbox, to, subject, text"),
    })
    for (const messageId of ["../..", "a/b", "", "x".repeat(65)])
      expect(await refusal(client, "get_message", { messageId })).toMatchObject({
        code: "VALIDATION_FAILED",
        message: "messageId: is not an id of this service",
      })
    expect(await refusal(client, "get_message", { messageId: "..." })).toMatchObject({
      code: "VALIDATION_FAILED",
    })
    expect(await refusal(client, "search_messages", { query: 'from:"' })).toMatchObject({
      code: "VALIDATION_FAILED",
    })
  })

  it("with long values is refused at once, in a short result", async () => {
    const { client } = await newAgent()
    const long = "+".repeat(1_000_000)
    const calls = [
      ["list_messages", { mailbox: long }],
      ["get_message", { mailbox: `a${long}@b.dev`, messageId: "a" }],
      ["list_messages", { [long]: 1 }],
      ["list_messages", { cursor: long }],
      ["list_messages", { from: long, subject: long, labels: [long], since: long }],
      ["search_messages", { query: long }],
      ["create_mailbox", { name: long }],
      ["send_message", { to: [long], subject: "Hi", text: "Hi" }],
      ["send_message", { to: ["a@b.dev"], subject: "Hi", text: "Hi", idempotencyKey: "a\r\nX-Other: b" }],
      ["send_message", { to: ["a@b.dev"], subject: "Hi", text: "Hi", idempotencyKey: "漢字" }],
    ] as const
    for (const [name, args] of calls) {
      const error = await refusal(client, name, args)
      expect([name, error.code]).toEqual([
        name,
        expect.stringMatching(/^(?:VALIDATION_FAILED|SIZE_EXCEEDED)$/),
      ])
      expect(JSON.stringify(error).length).toBeLessThan(3_000)
    }
  })

  it("without the permission says what the key lacks", async () => {
    const { mailroom, mailboxId } = await newAgent()
    const { key } = await mailroom.keys.create({
      name: "reader",
      mailboxIds: [mailboxId],
      permissions: ["read"],
    })
    const reader = await connect({ url: BASE_URL, key, fetch: service.fetch })
    expect(await call(reader, "whoami")).toMatchObject({ permissions: ["read"] })
    expect(
      await refusal(reader, "send_message", { to: ["a@b.dev"], subject: "Hi", text: "Hi" }),
    ).toMatchObject({ code: "PERMISSION_DENIED", retryable: false, hint: expect.stringContaining("whoami") })
    expect(await refusal(reader, "create_mailbox", { name: "new" })).toMatchObject({
      code: expect.stringMatching(/PERMISSION_DENIED|SCOPE_FORBIDDEN/),
    })
    const other = await newAgent()
    expect(await refusal(reader, "list_messages", { mailbox: other.mailboxId })).toMatchObject({
      code: "MAILBOX_NOT_FOUND",
    })
  })
})
