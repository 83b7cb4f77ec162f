/** The mails that the server keeps instead of sending them. */
import { eventually } from "@mailroom/test-services"
import { Effect, Schema } from "effect"
import { call, read } from "../../../server/test/support/http.js"
import type { Server } from "../../../server/test/support/server.js"

const Outbox = Schema.Struct({
  messages: Schema.Array(Schema.Struct({ subject: Schema.String, text: Schema.NullOr(Schema.String) })),
})

/** The link in the newest mail to an address that leads to this path of the server. */
export const linkInMail = (server: Pick<Server, "url">, to: string, path: string): Effect.Effect<string> =>
  eventually(
    `a mail to ${to} has a link to ${path}`,
    Effect.map(call(server, `GET /dev/outbox?to=${to}`), (answer) => {
      const links = read(Outbox, answer).messages.flatMap(
        ({ text }) => new RegExp(`${path.replaceAll("/", "\\/")}\\?\\S+`).exec(text ?? "") ?? [],
      )
      return links[0] ?? ""
    }),
    (link) => link !== "",
  )
