/** The main job with the client that `@hey-api/openapi-ts` generates. */
import { createClient, createConfig } from "../dist/heyApi/client/index.js"
import {
  attachmentsUpload,
  eventsStream,
  mailboxesList,
  messagesGet,
  messagesList,
  messagesReply,
  signupSignup,
} from "../dist/heyApi/index.js"

/** Signs up, waits for a mail and answers it with a file; the code of a refusal, or the subjects in the mailbox. */
export const job = async (baseUrl: string): Promise<string> => {
  const signedUp = await signupSignup({
    client: createClient(createConfig({ baseUrl })),
    body: { email: "owner@acme.example", password: "correct horse battery", slug: "acme" },
    throwOnError: true,
  })
  const client = createClient(createConfig({ baseUrl, auth: signedUp.data.api_key.key }))
  const { data } = await mailboxesList({ client, throwOnError: true })
  const [mailbox] = data.mailboxes
  if (mailbox === undefined) return "no mailbox"
  const path = { id: mailbox.id }

  const upload = await attachmentsUpload({
    client,
    body: { file: new File(["quarter,sales"], "figures.csv", { type: "text/csv" }) },
    throwOnError: true,
  })
  const { stream } = await eventsStream({ client, query: { events: "message.received" } })
  for await (const event of stream) {
    if (event.event !== "message.received" || "over_limit" in event.data) continue
    const message = { ...path, msgId: event.data.message_id }
    const whole = await messagesGet({ client, path: message, throwOnError: true })
    const reply = await messagesReply({
      client,
      path: message,
      body: { bodyText: `You wrote: ${whole.data.message.subject}`, attachments: [upload.data.id] },
    })
    if (reply.error !== undefined) return reply.error.code
    break
  }
  const page = await messagesList({ client, path, query: { limit: 10, offset: 0 } })
  return page.data === undefined
    ? page.error.code
    : page.data.messages.map(({ subject }) => subject).join(", ")
}
