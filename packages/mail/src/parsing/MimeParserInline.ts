/** `MimeParser` in the calling thread, for tests. */
import { MimeParser } from "@mailroom/engine"
import { Array, Effect, Layer, Option } from "effect"
import { parseMail } from "./parseMail.js"

/** Has no deadline. */
export const layer: Layer.Layer<MimeParser> = Layer.sync(MimeParser, () => {
  const parse = (raws: ReadonlyArray<Uint8Array>) =>
    Effect.promise(() => Promise.all(raws.map((raw) => parseMail(raw))))
  return { parse, parseFast: (raws) => Effect.map(parse(raws), Array.map(Option.some)) }
})
