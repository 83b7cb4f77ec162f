/** Multipart forms in the OpenAPI document: the fields of a JSON body, with attachments as files. */
import type * as OpenApi from "@effect/platform/OpenApi"

/** Names of the forms, by body. */
const forms = {
  SendBody: "SendForm",
  ReplyBody: "ReplyForm",
  ForwardBody: "ForwardForm",
  DraftBody: "DraftForm",
}

const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })

interface Field {
  readonly description?: string
}
interface Body {
  readonly description?: string
  readonly required?: ReadonlyArray<string>
  readonly properties?: Readonly<Record<string, Field>>
}

const asForm = ({ properties, ...body }: Body) => ({
  ...body,
  properties: {
    ...properties,
    attachments: {
      type: "array",
      items: { type: "string", format: "binary" },
      description: "files, or ids of uploads",
    },
    headers: { type: "string", description: "additional header fields, X-Custom-* only: an object as JSON" },
  },
})

/** The schemas of the forms, built from those of the bodies. */
export const formSchemas = (schemas: Readonly<Record<string, Body>>) =>
  Object.fromEntries(
    Object.entries(forms).flatMap(([name, form]) => {
      const body = schemas[name]
      return body === undefined ? [] : [[form, asForm(body)]]
    }),
  )

type RequestBody = NonNullable<OpenApi.OpenAPISpecOperation["requestBody"]>

/** Adds the form to a JSON body that has one. */
export const withForm = (requestBody: RequestBody) => {
  const schema = JSON.stringify(requestBody.content["application/json"]?.schema ?? null)
  const form = Object.entries(forms).find(([name]) => schema === JSON.stringify(refTo(name)))?.[1]
  return form === undefined
    ? requestBody
    : {
        ...requestBody,
        content: { ...requestBody.content, "multipart/form-data": { schema: refTo(form) } },
      }
}
