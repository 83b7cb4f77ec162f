/** The main job with `openapi-fetch`, on the types that `openapi-typescript` generates. */
import createClient from "openapi-fetch"
import type { paths } from "../dist/openapiTypescript.js"

/** Signs up, waits for a mail and answers it with a file; the code of a refusal, or the subjects in the mailbox. */
export const job = async (baseUrl: string): Promise<string> => {
  const anonymous = createClient<paths>({ baseUrl })
  const signedUp = await anonymous.POST("/v1/signup", {
    body: { email: "owner@acme.example", password: "correct horse battery", slug: "acme" },
  })
  if (signedUp.error !== undefined) return signedUp.error.code
  const { key } = signedUp.data.api_key
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } })
  const { data } = await client.GET("/v1/mailboxes")
  const [mailbox] = data?.mailboxes ?? []
  if (mailbox === undefined) return "no mailbox"
  const path = { id: mailbox.id }

  const form = new FormData()
  form.append("file", new File(["quarter,sales"], "figures.csv", { type: "text/csv" }))
  const upload = await client.POST("/v1/attachments", { body: { file: "" }, bodySerializer: () => form })
  if (upload.error !== undefined) return upload.error.code

  const page = await client.GET("/v1/mailboxes/{id}/messages", {
    params: { path, query: { direction: "INBOUND", limit: 10, offset: 0 } },
  })
  if (page.error !== undefined) return page.error.code
  for (const { id, subject } of page.data.messages) {
    const reply = await client.POST("/v1/mailboxes/{id}/messages/{msgId}/reply", {
      params: { path: { ...path, msgId: id } },
      body: { bodyText: `You wrote: ${subject}`, attachments: [upload.data.id] },
    })
    if (reply.error !== undefined) return reply.error.code
  }
  return page.data.messages.map(({ subject }) => subject).join(", ")
}
