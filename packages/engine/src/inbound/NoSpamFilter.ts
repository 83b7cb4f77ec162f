/** `SpamFilter` where no filter is configured. */
import { Layer } from "effect"
import { SpamFilter } from "../ports/SpamFilter.js"

export const layer: Layer.Layer<SpamFilter> = Layer.succeed(SpamFilter, { judge: null })
