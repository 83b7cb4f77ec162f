/** `MimeParser` in the calling thread, for tests. Loads the parser when it is used: other processes parse in their threads. */
import { MimeParser } from "@mailroom/engine"
import { Array, Effect, Layer, Option } from "effect"

/** Has no deadline. */
export const layer: Layer.Layer<MimeParser> = Layer.sync(MimeParser, () => {
  const parse = (raws: ReadonlyArray<Uint8Array>) =>
    Effect.promise(async () => {
      const { parseMail } = await import("./parseMail.js")
      return Promise.all(raws.map((raw) => parseMail(raw)))
    })
  return { parse, parseFast: (raws) => Effect.map(parse(raws), Array.map(Option.some)) }
})
