/** A relay that takes every mail and tells its subject. */
import type { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { callbackify } from "node:util"
import { Effect, type Scope } from "effect"
import { SMTPServer } from "smtp-server"

const SUBJECT = /^Subject: (.*)\r$/m

/** Listens until the scope closes; its port. */
export const relay = (onMail: (subject: string) => void): Effect.Effect<number, never, Scope.Scope> =>
  Effect.gen(function* () {
    const take = async (mail: Readable): Promise<void> => onMail(SUBJECT.exec(await text(mail))?.[1] ?? "")
    const server = yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new SMTPServer({
            authOptional: true,
            disabledCommands: ["AUTH", "STARTTLS"],
            disableReverseLookup: true,
            logger: false,
            onData: (stream, _session, callback) => callbackify(take)(stream, callback),
          }),
      ),
      (made) => Effect.async<void>((resume) => made.close(() => resume(Effect.void))),
    )
    // A client that resets its connection is what an outage looks like from here.
    server.on("error", () => {})
    yield* Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
    const address = server.server.address()
    return typeof address === "object" && address !== null ? address.port : 0
  })
