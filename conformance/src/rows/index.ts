/** Every row, by part. */
import { signup } from "./signup.js"

export const parts = { signup }

type IdsOf<S> = S extends { readonly rows: infer R } ? keyof R & string : never

/** The id of a row. */
export type RowId = IdsOf<(typeof parts)[keyof typeof parts][number]>
