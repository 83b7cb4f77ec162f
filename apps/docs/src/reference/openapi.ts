/** The OpenAPI document, in the groups of the reference. */
import { type ApiOperation, type JsonSchema, openApiDocument, outlineOf } from "@mailroom/api"

export interface Group {
  readonly name: string
  readonly description: string
  readonly operations: ReadonlyArray<ApiOperation>
}

export interface Reference {
  readonly groups: ReadonlyArray<Group>
  readonly schemas: Readonly<Record<string, JsonSchema>>
}

/** The address in examples; the script of the pages replaces it by that of the service which serves them. */
export const EXAMPLE_URL = "http://localhost:3000"

/** The default of the setting `HEADER_PREFIX`. */
export const HEADER_PREFIX = "X-Service-"

/** Reads the document of a service with default settings. */
export const readReference = (): Reference => {
  const document = openApiDocument({ baseUrl: EXAMPLE_URL, headerPrefix: HEADER_PREFIX })
  const { tags, operations, schemas } = outlineOf(document)
  return {
    schemas,
    groups: tags.map(({ name, description }) => ({
      name,
      description,
      operations: operations.filter((operation) => operation.tags.includes(name)),
    })),
  }
}
