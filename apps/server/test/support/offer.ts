/** Many mails, offered to a server that may die meanwhile. */
import { CLOSED, plainMail, smtpSession, transfer } from "@mailroom/test-services"
import { Effect } from "effect"
import type { Server } from "./server.js"

export const names = (count: number, prefix = "mail"): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, n) => `${prefix}-${String(n).padStart(4, "0")}`)

/** Offers the mails in turn over one connection until it breaks; calls back for every 250. */
export const offer = (
  server: Pick<Server, "smtpPort">,
  to: string,
  offered: ReadonlyArray<string>,
  acknowledged: (name: string) => void,
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const client = yield* smtpSession(server.smtpPort)
      for (const name of offered) {
        const reply = yield* transfer(client, to, plainMail(name))
        if (reply === CLOSED) return
        if (reply.startsWith("250")) acknowledged(name)
      }
    }),
  )
