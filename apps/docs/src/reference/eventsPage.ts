/** The page of events: what webhooks post and streams send, with an example of each kind. */
import { envelopeName, EventKind, MailboxId, MessageId, testEvent, ThreadId } from "@mailroom/domain"
import { Schema } from "effect"
import { codeBlock } from "../site/highlight.js"
import { escapeHtml, inline } from "../site/html.js"
import { type Page } from "../site/Page.js"
import { tableHtml } from "../site/table.js"
import { fieldList, fieldsOf, nameIn, unwrapped } from "./fields.js"
import type { JsonSchema } from "@mailroom/api"
import { HEADER_PREFIX, type Reference } from "./openapi.js"

/** The facts of the examples: made up, and the same in every build. */
const facts = {
  mailbox: {
    id: MailboxId.make("01990000-0000-7000-8000-000000000001"),
    fullAddress: "agent@acme.mailroom.localhost",
  },
  messageId: MessageId.make("01990000-0000-7000-8000-000000000002"),
  threadId: ThreadId.make("01990000-0000-7000-8000-000000000003"),
  at: Date.UTC(2026, 0, 1, 12),
}

const parse = Schema.decodeUnknownSync(Schema.parseJson())

const example = (kind: EventKind): string => JSON.stringify(parse(testEvent(kind, facts)), null, 2)

const dataOf = (
  kind: EventKind,
  event: JsonSchema | undefined,
  schemas: Reference["schemas"],
): JsonSchema => {
  const data = unwrapped(event?.properties?.["data"] ?? {})
  const variants = (data.anyOf ?? data.oneOf ?? [data]).flatMap(({ $ref }) =>
    $ref === undefined ? [] : [$ref],
  )
  // Of the variants of a received message, the one with the content, not the stub of a gated one. The identifiers of all kinds end so.
  const name = variants.map(nameIn).find((one) => one.endsWith("Data"))
  const schema = name === undefined ? undefined : schemas[name]
  if (schema === undefined) throw new Error(`${kind}: its data has no schema whose identifier ends with Data`)
  return schema
}

const headers: ReadonlyArray<readonly [name: string, meaning: string]> = [
  ["webhook-id", "the id of the delivery, the same in every attempt"],
  ["webhook-timestamp", "seconds since 1970; refuse a request that is older than five minutes"],
  ["webhook-signature", "`v1,` and the signature of Standard Webhooks; two of them after a rotation"],
  [`${HEADER_PREFIX}Signature`, "the lower-case hex HMAC-SHA256 of the raw body"],
]

export const eventsPage = ({ schemas }: Reference): Page => {
  const kinds = EventKind.literals.map((kind) => {
    const event = schemas[envelopeName(kind)]
    return { kind, event, data: dataOf(kind, event, schemas) }
  })
  const operations = kinds.map(
    ({ kind, event, data }) =>
      `<section class="operation" aria-labelledby="${kind}"><div class="what">` +
      `<h2 id="${kind}"><a class="anchor" href="#${kind}">${kind}</a></h2>` +
      (event?.description === undefined ? "" : `<p>${inline(event.description)}</p>`) +
      `<h3>Fields of <code>data</code></h3>${fieldList(fieldsOf(data), false)}</div>` +
      `<div class="examples"><p class="caption">Test event</p>${codeBlock(example(kind), "json", "Test event")}</div></section>`,
  )
  const rows = headers
    .map(([name, meaning]) => `<tr><td><code>${escapeHtml(name)}</code></td><td>${inline(meaning)}</td></tr>`)
    .join("")
  return {
    path: "reference/event-payloads",
    title: "Event payloads",
    description: "What webhooks post and the stream sends, for each kind of event.",
    html:
      `<header class="intro"><h1>Event payloads</h1><p>A webhook gets each event as a POST of this JSON; the stream and the log have the same envelopes. ` +
      `<a href="/docs/guides/receive">Receive mail</a> compares the ways.</p>` +
      `<h2 id="headers"><a class="anchor" href="#headers">Headers of a delivery</a></h2>${tableHtml("<th>header</th><th>meaning</th>", rows)}</header>` +
      operations.join(""),
    headings: [
      { id: "headers", text: "Headers of a delivery", level: 2 },
      ...kinds.map(({ kind }) => ({ id: kind, text: kind, level: 2 })),
    ],
    sections: kinds.map(({ kind, event, data }) => ({
      anchor: kind,
      heading: kind,
      text: `${event?.description ?? ""} webhook event ${Object.keys(data.properties ?? {}).join(" ")}`,
    })),
    layout: "reference",
  }
}
