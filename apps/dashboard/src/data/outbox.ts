/** The development outbox: mail that OUTBOUND_URL=capture: keeps instead of sending it. It is no part of the public API. */
import { MailroomError } from "@mailroom/client"
import { loader } from "./resource.js"

export interface CapturedMail {
  readonly id: string
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly subject: string
  readonly text: string | null
  readonly html: string | null
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly attachments: ReadonlyArray<{
    readonly filename: string
    readonly contentType: string
    readonly sizeBytes: number
  }>
  readonly capturedAt: string
}

/** The newest 100 mails; the key is the recipient, or nothing for all. */
export const outbox = loader(async (to: string, signal): Promise<ReadonlyArray<CapturedMail>> => {
  const query = to === "" ? "" : `?to=${encodeURIComponent(to)}`
  const response = await fetch(`/dev/outbox${query}`, { signal })
  if (!response.ok)
    throw new MailroomError("The outbox is closed to this browser", {
      code: `HTTP_${response.status}`,
      status: response.status,
    })
  const body: { readonly messages: ReadonlyArray<CapturedMail> } = await response.json()
  return body.messages
})
