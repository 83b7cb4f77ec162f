/** The example of an operation, from which its lines for curl, the client and MCP are made. */

export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [name: string]: Json }

/** Texts such as `$MESSAGE` are variables of the reader: `$MESSAGE` in a shell, `messageId` in a program. */
export interface Example {
  readonly query?: Readonly<Record<string, string | number | boolean>>
  readonly body?: Json
  /** options of curl in place of those that send `body` */
  readonly curl?: ReadonlyArray<string>
  /** the whole command, where path and key do not make it */
  readonly command?: string
  /** the whole program, where path and body do not make it */
  readonly program?: string
  /** the method of the client, where it is not the `operationId` */
  readonly method?: string
  /** the last argument of the client's method, where it is not `body` or `query` */
  readonly argument?: string
  readonly tool?: { readonly name: string; readonly arguments: { readonly [name: string]: Json } }
  /** why no test runs it */
  readonly notRun?: string
}

export type Examples = Readonly<Record<string, Example>>
