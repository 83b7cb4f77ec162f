/**
 * The page of an unsubscribe link (RFC 8058; `spec: bulk.page`, `bulk.click`). It needs no script, session or cookie, and
 * takes a POST from any origin: mail providers send it for their users. Opening it changes nothing, because mail scanners
 * follow links.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import { escapeHtml, UNSUBSCRIBE_PATH } from "@mailroom/domain"
import { type Unsubscription, Unsubscribes } from "@mailroom/engine"
import { Effect, Option, Schema } from "effect"
import { page } from "./html.js"

const LinkPath = HttpRouter.schemaPathParams(Schema.Struct({ token: Schema.String }))

const noLink = page(
  "No such link",
  "<p>This link is incomplete or wrong. Open the whole link from the mail.</p>",
  404,
)

const gone = page("You get no more mail", "<p>The mailbox that sent this mail does not exist any more.</p>")

const offer = ({ recipient }: Unsubscription, mailbox: string) =>
  page(
    "Unsubscribe",
    `<p><b>${escapeHtml(recipient)}</b> gets mail from <b>${escapeHtml(mailbox)}</b>. Press the button to get no more.</p>` +
      // Without an action, a form posts to the address of its page, whatever path a proxy gave it.
      `<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click">` +
      `<button>Unsubscribe</button></form>`,
  )

const done = ({ recipient }: Unsubscription, mailbox: string) =>
  page(
    "You are unsubscribed",
    `<p><b>${escapeHtml(mailbox)}</b> cannot send mail to <b>${escapeHtml(recipient)}</b> any more.</p>`,
  )

const answerBy =
  (show: typeof offer) =>
  (found: Option.Option<Unsubscription>): typeof noLink =>
    Option.match(found, {
      onNone: () => noLink,
      onSome: (about) => (about.mailbox === null ? gone : show(about, about.mailbox)),
    })

export const unsubscribePage = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const unsubscribes = yield* Unsubscribes
    const token = Effect.map(Effect.orDie(LinkPath), (path) => path.token)
    const path = `${UNSUBSCRIBE_PATH}:token` as const
    yield* router.get(path, Effect.map(Effect.flatMap(token, unsubscribes.find), answerBy(offer)))
    // The body, `List-Unsubscribe=One-Click` as any kind of form, is not read: a POST here means nothing else.
    yield* router.post(
      path,
      Effect.map(Effect.flatMap(token, unsubscribes.unsubscribe), answerBy(done)).pipe(
        Effect.uninterruptible,
      ),
    )
  }),
)
