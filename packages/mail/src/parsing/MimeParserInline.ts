/** `MimeParser` in the calling thread: for tests, where threads would only add noise. */
import { MimeParser } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { parseMail } from "./parseMail.js"

/** Without a deadline: a test that hangs should be seen to hang. */
export const layer: Layer.Layer<MimeParser> = Layer.succeed(MimeParser, {
  parse: (raws) => Effect.promise(() => Promise.all(raws.map(parseMail))),
})
