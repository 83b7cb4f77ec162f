/** Rows without a test yet, and what they wait for. A test fails when this is not exactly what is missing. */
import type { RowId } from "./index.js"

export const waiting: { readonly [Id in RowId]?: string } = {
  "signup.create.429": "a test",
}
