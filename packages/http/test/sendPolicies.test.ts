/**
 * Every route that sends, under every policy. The routes are those of the OpenAPI document that may answer with a draft that
 * was not sent, so that a new one is missing here until it has a request.
 */
import { describe, layer } from "@effect/vitest"
import { openApiDocument } from "@mailroom/api"
import { Draft } from "@mailroom/domain"
import { type Answer, InMemoryHttp } from "@mailroom/testing"
import { Context, Effect, Layer, Schema } from "effect"
import { expect } from "vitest"
import { owner as anOwner, type Owner } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { putDns } from "./support/domains.js"
import { receive } from "./support/mail.js"

const document = openApiDocument({ baseUrl: "http://mailroom.test", headerPrefix: "X-Service-" })

const KNOWN = "ada@partner.dev"
const UNKNOWN = "eve@partner.dev"

/** Sends to an address through one route. Returns the answer of the route. */
type Send = (owner: Owner, to: string, answered: string) => Effect.Effect<Answer, never, InMemoryHttp>

const post = ({ key }: Owner, path: string, body: object) => ask(`POST ${path}`, { key, body })
const inMailbox = ({ mailboxId }: Owner, path: string) => `/v1/mailboxes/${mailboxId}${path}`
const mail = (to: string) => ({ to: [to], subject: "Hello", bodyText: "Hello" })
const onMessage =
  (route: string, body: (to: string) => object = () => ({ bodyText: "Hello" })): Send =>
  (owner, to, answered) =>
    post(owner, inMailbox(owner, `/messages/${answered}/${route}`), body(to))

const OneDraft = Schema.Struct({ draft: Draft })
const draftIn = (answer: Answer) => read(OneDraft)(answer).draft

const writeDraft = (owner: Owner, to: string) =>
  Effect.map(post(owner, inMailbox(owner, "/drafts"), mail(to)), draftIn)

const sends: Readonly<Record<string, Send>> = {
  "messages.send": (owner, to) => post(owner, inMailbox(owner, "/messages"), mail(to)),
  "messages.reply": onMessage("reply"),
  "messages.replyAll": onMessage("reply-all"),
  "messages.rsvp": onMessage("rsvp", () => ({ status: "accepted" })),
  "messages.forward": onMessage("forward", (to) => ({ to: [to] })),
  "drafts.send": (owner, to) =>
    Effect.flatMap(writeDraft(owner, to), ({ id }) =>
      post(owner, inMailbox(owner, `/drafts/${id}/send`), {}),
    ),
}

const calendarOf = (organizer: string, attendee: string) =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "METHOD:REQUEST",
    "BEGIN:VEVENT",
    "UID:planning@partner.dev",
    "DTSTAMP:20260301T100000Z",
    "DTSTART:20260310T090000Z",
    `ORGANIZER:mailto:${organizer}`,
    `ATTENDEE:mailto:${attendee}`,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n")

/** Delivers an invitation from a known sender, which is answered to `to`. Returns its id. */
const receiveFor = Effect.fn(function* ({ key, mailboxId, address }: Owner, to: string) {
  yield* receive(address, [
    {
      // Its Reply-To names the address; the From, which the mailbox then knows, is the same in all of them.
      from: `${KNOWN}>\r\nReply-To: <${to}`,
      attachment: {
        filename: "invite.ics",
        type: "text/calendar; method=REQUEST",
        content: calendarOf(to, address),
      },
    },
  ])
  const listed = yield* ask(`GET /v1/mailboxes/${mailboxId}/messages?limit=1`, { key })
  return read(Schema.Struct({ messages: Schema.Tuple(Schema.Struct({ id: Schema.String })) }))(listed)
    .messages[0].id
})

class Scene extends Context.Tag("test/Scene")<
  Scene,
  { readonly owner: Owner; readonly answered: ReadonlyMap<string, string> }
>() {}

const scene = Layer.effect(
  Scene,
  Effect.gen(function* () {
    const owner = yield* anOwner("active")
    yield* putDns("partner.dev", { txt: ["v=spf1 ip4:192.0.2.1 -all"] })
    const unknown = yield* receiveFor(owner, UNKNOWN)
    const known = yield* receiveFor(owner, KNOWN)
    return {
      owner,
      answered: new Map([
        [UNKNOWN, unknown],
        [KNOWN, known],
      ]),
    }
  }),
).pipe(Layer.provideMerge(InMemoryHttp.layer({ sendVelocityPerMinute: 1000 })))

const change = ({ key, mailboxId }: Owner, outboundPolicy: string) =>
  ask(`PATCH /v1/mailboxes/${mailboxId}`, { key, body: { outboundPolicy } })

const pause = ({ key }: Owner, sendingPaused: boolean) =>
  ask("PATCH /v1/account", { key, body: { sendingPaused } })

const policies = [
  ["open", { [KNOWN]: "sent", [UNKNOWN]: "sent" }],
  ["review_new", { [KNOWN]: "sent", [UNKNOWN]: "held" }],
  ["review", { [KNOWN]: "held", [UNKNOWN]: "held" }],
] as const

describe("drafts.review.policy", () => {
  layer(scene)((it) => {
    it("knows every route that may answer with a draft instead of a message", () => {
      const routes = Object.values(document.paths)
        .flatMap((item) => Object.values(item))
        .filter(({ responses }) => "201" in responses && "202" in responses)
        .map(({ operationId }) => operationId)
      // `reviews.approve` is the decision itself.
      expect(routes.sort()).toEqual([...Object.keys(sends), "reviews.approve"].sort())
    })

    for (const [name, send] of Object.entries(sends))
      it.effect(`${name}: sent, held, or refused`, () =>
        Effect.gen(function* () {
          const { owner, answered } = yield* Scene
          for (const [policy, outcomes] of policies) {
            yield* change(owner, policy)
            for (const to of [UNKNOWN, KNOWN] as const) {
              const answer = yield* send(owner, to, answered.get(to) ?? "")
              const isHeld = outcomes[to] === "held"
              expect([policy, to, answer.status]).toEqual([policy, to, isHeld ? 202 : 201])
              if (isHeld) expect(draftIn(answer)).toMatchObject({ status: "PENDING_REVIEW", to: [to] })
            }
          }
          yield* pause(owner, true)
          const refused = yield* send(owner, KNOWN, answered.get(KNOWN) ?? "")
          expect([refused.status, refused.json]).toMatchObject([403, { code: "SENDING_PAUSED" }])
          yield* pause(owner, false)
        }),
      )

    it.effect("a scheduled mail: waits for its time, is held, or is refused", () =>
      Effect.gen(function* () {
        const { owner } = yield* Scene
        const later = (to: string) => ({ ...mail(to), sendAt: "1970-01-02T00:00:00Z" })
        const routes = ["/messages", "/drafts"].map((path) => inMailbox(owner, path))
        for (const [policy, outcomes] of policies) {
          yield* change(owner, policy)
          for (const route of routes)
            for (const to of [UNKNOWN, KNOWN] as const)
              expect([policy, to, draftIn(yield* post(owner, route, later(to))).status]).toEqual([
                policy,
                to,
                outcomes[to] === "held" ? "PENDING_REVIEW" : "SCHEDULED",
              ])
        }
        yield* pause(owner, true)
        for (const route of routes) expect((yield* post(owner, route, later(KNOWN))).status).toBe(403)
        yield* pause(owner, false)
      }),
    )
  })
})
