/** Every tool that sends, under every policy of the mailbox: sent or held, as over HTTP. */
import { expect, it } from "vitest"
import { BASE_URL, startService } from "../../client/test/support/service.js"
import { putDns } from "../../http/test/support/domains.js"
import { type AnyClient, call, connect, idsIn, refusal } from "./support/clients.js"
import { invitation } from "./support/invitation.js"

const service = startService()

const KNOWN = "bob@sender.dev"
const UNKNOWN = "eve@sender.dev"

/** Sends to an address by one tool. `answered`: a message whose answers go there. */
type Send = (client: AnyClient, to: string, answered: string) => ReturnType<typeof call>

let sends = 0
/** Another text each time: the same content is sent once. */
const text = () => `Hello, for the time ${++sends}`

const tools: Readonly<Record<string, (to: string, answered: string) => Record<string, unknown>>> = {
  send_message: (to) => ({ to: [to], subject: "Hello", text: text() }),
  reply_to_message: (_, messageId) => ({ messageId, text: text() }),
  forward_message: (to, messageId) => ({ messageId, to: [to], text: text() }),
  respond_to_invitation: (_, messageId) => ({ messageId, status: "accepted", comment: text() }),
}

/** A draft to an address, and then the tool that sends it. */
const sendDraft: Send = async (client, to) => {
  const { draftId } = await call(client, "create_draft", { to: [to], subject: "Hello", text: text() })
  return call(client, "send_draft", { draftId })
}

const all: ReadonlyArray<readonly [string, Send]> = [
  ...Object.entries(tools).map(([name, input]): readonly [string, Send] => [
    name,
    (client, to, answered) => call(client, name, input(to, answered)),
  ]),
  ["send_draft", sendDraft],
]

it("every tool that sends, and no other, is tried here", async () => {
  const { key } = await service.agent()
  const client = await connect({ url: BASE_URL, key, fetch: service.fetch })
  const { tools: listed } = await client.listTools()
  const sending = listed.filter(({ annotations }) => annotations?.openWorldHint === true)
  expect(sending.map(({ name }) => name).sort()).toEqual(all.map(([name]) => name).sort())
})

it("each is sent or held by the policy, and refused while sending is paused", async () => {
  const { key, address, mailboxId, mailroom } = await service.agent()
  const client = await connect({ url: BASE_URL, key, fetch: service.fetch })
  await service.run(putDns("sender.dev", { txt: ["v=spf1 ip4:192.0.2.1 -all"] }))
  // The Reply-To of the second names somebody else; From, whom the mailbox then knows, is the same.
  await service.receive(address, { ...invitation(address, KNOWN), from: KNOWN, subject: "known" })
  await service.receive(address, {
    ...invitation(address, UNKNOWN),
    from: `${KNOWN}>\r\nReply-To: <${UNKNOWN}`,
    subject: "unknown",
  })
  const [unknown, known] = idsIn(await call(client, "list_messages", { direction: "INBOUND" }))
  const answered = new Map([
    [KNOWN, known?.id ?? ""],
    [UNKNOWN, unknown?.id ?? ""],
  ])
  for (const [outboundPolicy, toKnown, toUnknown] of [
    ["open", "sent", "sent"],
    ["review_new", "sent", "held"],
    ["review", "held", "held"],
  ] as const) {
    await mailroom.mailboxes.update(mailboxId, { outboundPolicy })
    for (const [name, send] of all)
      for (const [to, status] of [
        [KNOWN, toKnown],
        [UNKNOWN, toUnknown],
      ] as const) {
        const answer = await send(client, to, answered.get(to) ?? "")
        expect([outboundPolicy, name, to, answer["status"]]).toEqual([outboundPolicy, name, to, status])
      }
  }
  await mailroom.account.update({ sendingPaused: true })
  for (const [name, input] of Object.entries(tools))
    expect(await refusal(client, name, input(KNOWN, answered.get(KNOWN) ?? ""))).toMatchObject({
      code: "SENDING_PAUSED",
    })
  const { draftId } = await call(client, "create_draft", { to: [KNOWN], subject: "Hello", text: text() })
  expect(await refusal(client, "send_draft", { draftId })).toMatchObject({ code: "SENDING_PAUSED" })
})
