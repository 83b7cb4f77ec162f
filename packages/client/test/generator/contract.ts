/** The operations of the contract, as the client has them: where each method is, what it takes and returns. */
import { openApiDocument, operatorDocument } from "@mailroom/api"
import { Schema as Parser } from "effect"
import type { Schema } from "./schema.js"

interface Parameter {
  readonly name: string
  readonly in: string
  readonly description?: string
  readonly required?: boolean
  readonly schema: Schema
}
interface Media {
  readonly schema: Schema
}
type Content = Readonly<Record<string, Media>>

/** An operation of the OpenAPI document. */
export interface Operation {
  /** `{group}.{endpoint}` */
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content: Content; readonly required?: boolean }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
  readonly method: string
  readonly path: string
}

/**
 * Methods with another name than their operation. The client groups methods by what they return; the contract groups
 * routes by what they share in the server.
 */
const renamed: Readonly<Record<string, string>> = {
  "signup.signup": "signup.create",
  "waits.inMailbox": "messages.wait",
  "waits.anywhere": "messages.waitAny",
  "lists.messages": "messages.listAll",
  "lists.threads": "threads.listAll",
  "search.inMailbox": "messages.search",
  "search.everywhere": "messages.searchAll",
  "addressLists.list": "lists.list",
  "addressLists.add": "lists.add",
  "addressLists.remove": "lists.remove",
  "addressLists.listOfMailbox": "lists.listOfMailbox",
  "addressLists.addToMailbox": "lists.addToMailbox",
  "addressLists.removeFromMailbox": "lists.removeFromMailbox",
}

/** The method of an operation: `{resource}.{method}`. */
export const methodOf = ({ operationId }: Operation): string => renamed[operationId] ?? operationId

/** Operations whose methods are written by hand, in `src/resources`. */
export const byHand: ReadonlySet<string> = new Set([
  "messages.wait",
  "messages.waitAny",
  "messages.import",
  "attachments.upload",
  "attachments.download",
  "events.stream",
])

/** The part of the document that becomes types: schemas are plain JSON. */
const Document = Parser.parseJson(
  Parser.Struct({
    paths: Parser.Record({
      key: Parser.String,
      value: Parser.Record({ key: Parser.String, value: Parser.Any }),
    }),
    components: Parser.Struct({ schemas: Parser.Record({ key: Parser.String, value: Parser.Any }) }),
    tags: Parser.Array(Parser.Struct({ name: Parser.String, description: Parser.optional(Parser.String) })),
  }),
)

const read = (document: unknown) => {
  const { paths, components, tags } = Parser.decodeUnknownSync(Document)(JSON.stringify(document))
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Operation => ({ ...operation, method, path })),
  )
  const schemas: Readonly<Record<string, Schema>> = components.schemas
  return { operations, schemas, tags }
}

const service = { baseUrl: "https://mailroom.example", headerPrefix: "X-Service-" }

/** What users call, and what the operator calls. */
export const contract = () => {
  const users = read(openApiDocument(service))
  const operator = read(operatorDocument())
  return {
    operations: [...users.operations, ...operator.operations],
    schemas: { ...operator.schemas, ...users.schemas },
  }
}
