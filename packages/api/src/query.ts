/** Query parameters. A response names every wrong parameter, without the value that was sent. */
import { Schema } from "effect"

/** The query of an endpoint. */
export const query = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct(fields).annotations({ parseOptions: { errors: "all" } })

/** Annotation with the message for a value that a parameter does not accept. */
export const saying = (message: string) => ({ message: () => ({ message, override: true }) })
