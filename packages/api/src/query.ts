/** Query parameters: every one that is wrong is named at once, in plain words and without the value that was sent. */
import { Schema } from "effect"

/** The query of an endpoint. */
export const query = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct(fields).annotations({ parseOptions: { errors: "all" } })

/** An annotation: the one thing that is said of a value that a parameter does not accept. */
export const saying = (message: string) => ({ message: () => ({ message, override: true }) })
