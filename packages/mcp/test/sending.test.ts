/** Sends once, and says what became of a mail. */
import { MemoryRelay } from "@mailroom/mail"
import { Effect } from "effect"
import { expect, it, vi } from "vitest"
import { BASE_URL, startService } from "../../client/test/support/service.js"
import { call, connect, idsIn, refusal } from "./support/clients.js"

const service = startService()

const newAgent = async () => {
  const agent = await service.agent()
  const client = await connect({ url: BASE_URL, key: agent.key, fetch: service.fetch })
  const sent = async () =>
    (await agent.mailroom.messages.list(agent.mailboxId, { direction: "OUTBOUND" })).items
  return { ...agent, client, sent }
}

const MAIL = { to: ["eve@partner.dev"], subject: "Offer", text: "Ten euros." }

it("the same content is sent once, and other content or another key is sent", async () => {
  const { client, sent, address } = await newAgent()
  const first = await call(client, "send_message", MAIL)
  expect(first).toMatchObject({ status: "sent", replayed: false })
  const { text, subject, to } = MAIL
  const again = await call(client, "send_message", { mailbox: address, text, subject, to })
  expect(again).toMatchObject({ status: "sent", replayed: true, messageId: first["messageId"] })
  expect(again["next"]).toContain("pass a new idempotencyKey")
  expect(await sent()).toHaveLength(1)
  expect(await call(client, "send_message", { ...MAIL, text: "Nine euros." })).toMatchObject({
    replayed: false,
  })
  const onPurpose = { ...MAIL, idempotencyKey: "second-offer" }
  expect(await call(client, "send_message", onPurpose)).toMatchObject({ replayed: false })
  expect(await call(client, "send_message", onPurpose)).toMatchObject({ replayed: true })
  expect(await sent()).toHaveLength(3)
  expect(await refusal(client, "send_message", { ...onPurpose, text: "Eight." })).toMatchObject({
    code: "IDEMPOTENCY_KEY_REUSED",
    hint: expect.stringContaining("leave it out"),
  })
})

it("calls at the same time send once", async () => {
  const { client, sent } = await newAgent()
  const outcomes = await Promise.allSettled(
    Array.from({ length: 5 }, () => call(client, "send_message", MAIL)),
  )
  expect(outcomes.some(({ status }) => status === "fulfilled")).toBe(true)
  expect(await call(client, "send_message", MAIL)).toMatchObject({ replayed: true })
  expect(await sent()).toHaveLength(1)
})

it("replies to different messages with the same text are different mails", async () => {
  const { client, sent, address } = await newAgent()
  await service.receive(address, { subject: "One" }, { subject: "Two" })
  for (const { id: messageId } of idsIn(await call(client, "list_messages", { direction: "INBOUND" }))) {
    const reply = { messageId, text: "Thank you." }
    expect(await call(client, "reply_to_message", reply)).toMatchObject({ status: "sent", replayed: false })
    expect(await call(client, "reply_to_message", reply)).toMatchObject({ replayed: true })
  }
  expect(await sent()).toHaveLength(2)
})

it("a refusal is not replayed once its reason has ended, and what was sent then is", async () => {
  const { client, sent, mailroom } = await newAgent()
  await mailroom.account.update({ sendingPaused: true })
  for (let attempt = 0; attempt < 3; attempt++)
    expect(await refusal(client, "send_message", MAIL)).toMatchObject({
      code: "SENDING_PAUSED",
      retryable: false,
    })
  await mailroom.account.update({ sendingPaused: false })
  expect(await call(client, "send_message", MAIL)).toMatchObject({ status: "sent", replayed: false })
  expect(await call(client, "send_message", MAIL)).toMatchObject({ status: "sent", replayed: true })
  expect(await sent()).toHaveLength(1)
})

it("the same content is not sent again within a day of its send, however long before it was refused", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  try {
    const { client, sent, mailroom } = await newAgent()
    const HOUR = 3_600_000
    const refusedAt = Date.now()
    await mailroom.account.update({ sendingPaused: true })
    await refusal(client, "send_message", MAIL)
    vi.setSystemTime(refusedAt + 23 * HOUR)
    await mailroom.account.update({ sendingPaused: false })
    expect(await call(client, "send_message", MAIL)).toMatchObject({ status: "sent", replayed: false })
    for (const hours of [25, 46]) {
      vi.setSystemTime(refusedAt + hours * HOUR)
      expect(await call(client, "send_message", MAIL)).toMatchObject({ status: "sent", replayed: true })
    }
    expect(await sent()).toHaveLength(1)
  } finally {
    vi.useRealTimers()
  }
})

it("a held mail says why, and who decides; a repetition shows the decision", async () => {
  const { client, mailroom, mailboxId } = await newAgent()
  await mailroom.mailboxes.update(mailboxId, { outboundPolicy: "review" })
  const held = await call(client, "send_message", MAIL)
  expect(held).toMatchObject({
    status: "held",
    replayed: false,
    why: "Not sent: every mail of this mailbox is reviewed; eve@partner.dev is a new recipient.",
    next: expect.stringContaining("You cannot approve it"),
  })
  expect(await call(client, "send_message", MAIL)).toMatchObject({ status: "held", replayed: true })
  expect(await call(client, "send_draft", { draftId: held["draftId"] }).catch(String)).toMatchObject({
    status: "held",
  })
  const draft = await mailroom.drafts.get(mailboxId, String(held["draftId"]))
  await mailroom.reviews.approve(draft.id, { digest: draft.digest })
  expect(await call(client, "send_message", MAIL)).toMatchObject({
    status: "sent",
    replayed: true,
    messageId: held["draftId"],
  })

  const other = { ...MAIL, text: "Eleven euros." }
  const { draftId } = await call(client, "send_message", other)
  await mailroom.reviews.reject(String(draftId), { reason: "Too much" })
  expect(await call(client, "send_message", other)).toMatchObject({
    status: "rejected",
    replayed: true,
    why: expect.stringContaining("Too much"),
  })
})

it("a draft is written once; a repetition shows what became of it, and a new key writes another", async () => {
  const { client, mailroom, mailboxId, sent } = await newAgent()
  const written = await call(client, "create_draft", MAIL)
  expect(written).toMatchObject({ status: "draft", replayed: false })
  const { draftId } = written
  expect(await call(client, "create_draft", MAIL)).toMatchObject({
    status: "draft",
    draftId,
    replayed: true,
    next: expect.stringMatching(/^Not sent yet: send_draft sends it\. .* pass a new idempotencyKey\.$/),
  })
  await mailroom.mailboxes.update(mailboxId, { outboundPolicy: "review" })
  await call(client, "send_draft", { draftId })
  expect(await call(client, "create_draft", MAIL)).toMatchObject({ status: "held", draftId, replayed: true })
  const { id, digest } = await mailroom.drafts.get(mailboxId, String(draftId))
  await mailroom.reviews.approve(id, { digest })
  expect(await call(client, "create_draft", MAIL)).toMatchObject({
    status: "sent",
    messageId: draftId,
    replayed: true,
    next: expect.stringContaining("pass a new idempotencyKey"),
  })
  expect(await sent()).toHaveLength(1)
  const another = await call(client, "create_draft", { ...MAIL, idempotencyKey: "second-draft" })
  expect(another).toMatchObject({ status: "draft", replayed: false })
  expect(another["draftId"]).not.toBe(draftId)
})

it("a repetition names no draft that was deleted", async () => {
  const { client, mailroom, mailboxId } = await newAgent()
  const gone = {
    status: "gone",
    replayed: true,
    why: "The draft was deleted, or it was sent and its message was deleted.",
    next: expect.stringContaining("pass a new idempotencyKey"),
  }
  await mailroom.mailboxes.update(mailboxId, { outboundPolicy: "review" })
  for (const tool of ["create_draft", "send_message"]) {
    const { draftId } = await call(client, tool, MAIL)
    await mailroom.drafts.remove(mailboxId, String(draftId))
    const again = await call(client, tool, MAIL)
    expect(again).toMatchObject(gone)
    expect(again["draftId"]).toBeUndefined()
  }
})

it("a repetition with a key that may not read mail says that the draft was sent or deleted", async () => {
  const { mailroom } = await newAgent()
  const { key } = await mailroom.keys.create({ name: "writer", permissions: ["send", "draft"] })
  const client = await connect({ url: BASE_URL, key, fetch: service.fetch })
  const { draftId } = await call(client, "create_draft", MAIL)
  await call(client, "send_draft", { draftId })
  expect(await call(client, "create_draft", MAIL)).toMatchObject({
    status: "gone",
    replayed: true,
    why: "The draft was sent or deleted. This key may not read which.",
  })
})

it("a later mail is scheduled, and files of text are attached", async () => {
  const { client, mailroom, mailboxId } = await newAgent()
  const sendAt = new Date(Date.now() + 86_400_000).toISOString()
  expect(await call(client, "send_message", { ...MAIL, sendAt })).toMatchObject({ status: "scheduled" })
  const { messageId } = await call(client, "send_message", {
    ...MAIL,
    attachments: [{ filename: "offer.txt", text: "Zehn €" }],
  })
  const { attachments } = await mailroom.messages.get(mailboxId, String(messageId))
  expect(attachments).toMatchObject([{ filename: "offer.txt", sizeBytes: 8 }])
  expect(await refusal(client, "send_message", { ...MAIL, attachments: [{ filename: "x" }] })).toMatchObject({
    message: "attachments.0: needs either id, or filename and text",
  })
})

it("a mail that the relay did not confirm is not called sent", async () => {
  const { client, mailroom, mailboxId } = await newAgent()
  await mailroom.mailboxes.update(mailboxId, { outboundPolicy: "review" })
  const { draftId } = await call(client, "send_message", MAIL)
  const { id, digest } = await mailroom.drafts.get(mailboxId, String(draftId))
  await service.run(Effect.flatMap(MemoryRelay, ({ loseAnswers }) => loseAnswers))
  await expect(mailroom.reviews.approve(id, { digest })).rejects.toMatchObject({ code: "SEND_UNCERTAIN" })
  for (const again of [
    await call(client, "send_message", MAIL),
    await call(client, "send_draft", { draftId }),
  ])
    expect(again).toMatchObject({
      status: "unknown",
      messageId: draftId,
      replayed: true,
      next: expect.stringContaining("do not send it again"),
    })
})
