/**
 * `MimeParser` in the calling thread, for tests. Imports the parser when the layer is built: a process that parses in threads
 * does not load it here.
 */
import { MimeParser } from "@mailroom/engine"
import { Array, Effect, Layer, Option } from "effect"

/** Has no deadline. */
export const layer: Layer.Layer<MimeParser> = Layer.effect(
  MimeParser,
  Effect.gen(function* () {
    const { parseMail } = yield* Effect.promise(() => import("./parseMail.js"))
    const parse = (raws: ReadonlyArray<Uint8Array>) =>
      Effect.promise(() => Promise.all(raws.map((raw) => parseMail(raw))))
    return { parse, parseFast: (raws) => Effect.map(parse(raws), Array.map(Option.some)) }
  }),
)
