/** Reading over HTTP what was received over SMTP. */
import { Effect, Schedule, Schema } from "effect"
import type { Account, Mailbox } from "../harness/account.js"
import { call } from "../harness/http.js"
import { BenchFailure } from "../harness/processes.js"

export interface ReadAttachment {
  readonly filename: string
  readonly contentType: string
  readonly sizeBytes: number
  readonly bytes: Buffer
}

const Received = Schema.Struct({
  id: Schema.String,
  subject: Schema.String,
  fromAddress: Schema.String,
  fromName: Schema.NullOr(Schema.String),
  bodyText: Schema.NullOr(Schema.String),
  bodyHtml: Schema.NullOr(Schema.String),
  trust: Schema.Struct({ level: Schema.String, reasons: Schema.Array(Schema.String) }),
  headers: Schema.Record({
    key: Schema.String,
    value: Schema.Union(Schema.String, Schema.Array(Schema.String)),
  }),
  attachments: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      filename: Schema.String,
      contentType: Schema.String,
      sizeBytes: Schema.Int,
    }),
  ),
})

export type ReadMessage = Omit<typeof Received.Type, "attachments"> & {
  readonly attachments: ReadonlyArray<ReadAttachment>
}

/** How long a message may take to be readable after its 250, milliseconds. */
const READABLE_TIMEOUT = 10_000

const notYetReadable = new BenchFailure({ message: "accepted, but not readable in time" })

const newestId = (account: Account, mailbox: Mailbox): Effect.Effect<string | null, BenchFailure> =>
  call(
    {
      method: "GET",
      url: `${account.baseUrl}/v1/mailboxes/${mailbox.id}/messages?limit=1`,
      key: account.key,
    },
    Schema.Struct({ messages: Schema.Array(Schema.Struct({ id: Schema.String })) }),
  ).pipe(Effect.map(({ messages }) => messages[0]?.id ?? null))

const download = (url: string): Effect.Effect<Buffer, BenchFailure> =>
  Effect.tryPromise({
    try: async () => {
      const response = await fetch(url)
      if (!response.ok) throw new Error(`${response.status}`)
      return Buffer.from(await response.arrayBuffer())
    },
    catch: (error) => new BenchFailure({ message: `${url}: ${String(error)}` }),
  })

/** The message after the one named, once it is there, whole and with the bytes of its attachments. */
export const nextMessage = (
  account: Account,
  mailbox: Mailbox,
  last: string | null,
): Effect.Effect<ReadMessage, BenchFailure> =>
  Effect.gen(function* () {
    const id = yield* newestId(account, mailbox).pipe(
      Effect.filterOrFail(
        (newest): newest is string => newest !== null && newest !== last,
        () => notYetReadable,
      ),
      Effect.retry({ schedule: Schedule.spaced(5), while: (error) => error === notYetReadable }),
      Effect.timeoutFail({ duration: READABLE_TIMEOUT, onTimeout: () => notYetReadable }),
    )
    const { message } = yield* call(
      {
        method: "GET",
        url: `${account.baseUrl}/v1/mailboxes/${mailbox.id}/messages/${id}`,
        key: account.key,
      },
      Schema.Struct({ message: Received }),
    )
    const attachments = yield* Effect.forEach(message.attachments, ({ id: attachmentId, ...attachment }) =>
      call(
        { method: "GET", url: `${account.baseUrl}/v1/attachments/${attachmentId}`, key: account.key },
        Schema.Struct({ url: Schema.String }),
      ).pipe(
        Effect.flatMap(({ url }) => download(url)),
        Effect.map((bytes) => ({ ...attachment, bytes })),
      ),
    )
    return { ...message, attachments }
  })
