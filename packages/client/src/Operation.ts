/** A row of the table of operations. */
export interface Operation {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  /** with its parameters as `{id}` */
  readonly path: string
  /** whether an `Idempotency-Key` makes it safe to repeat */
  readonly idempotent?: boolean
  /** whether the body may be a form with files */
  readonly files?: boolean
  /** the field of the response that is the result; without it, the whole response is */
  readonly field?: string
  /** the field of the response that has the items of a list */
  readonly items?: string
}
