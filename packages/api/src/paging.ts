/** Lists that come in pages (decisions §2): how a page is asked for, and what it says about itself. */
import { Schema } from "effect"

export const integer = Schema.NumberFromString.pipe(Schema.int())

/** `limit`, from 1 to `max`. */
export const pageLimit = (max: number, unlessGiven: number) =>
  Schema.optionalWith(
    integer.pipe(Schema.between(1, max)).annotations({ description: `how many at most, 1 to ${max}` }),
    { default: () => unlessGiven },
  )

export const cursor = Schema.optional(Schema.String.pipe(Schema.maxLength(200))).annotations({
  description: "`metadata.nextCursor` of the page before: as fast at any depth",
})

export const PageMetadata = Schema.Struct({
  limit: Schema.Int,
  hasMore: Schema.Boolean,
  nextCursor: Schema.optional(Schema.String),
})
