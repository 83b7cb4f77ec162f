/** Bodies that may also come as a multipart form, in the OpenAPI document: the same fields, and files as files. */
import type * as OpenApi from "@effect/platform/OpenApi"

/** The bodies, and what their forms are called. */
const forms = { SendBody: "SendForm", ReplyBody: "ReplyForm", ForwardBody: "ForwardForm" }

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
      description: "files; ids of uploads are taken in their place",
    },
    headers: { type: "string", description: "header fields of your own, X-Custom-*: an object as JSON" },
  },
})

/** The schemas of the forms, made of the bodies' among `schemas`. */
export const formSchemas = (schemas: Readonly<Record<string, Body>>) =>
  Object.fromEntries(
    Object.entries(forms).flatMap(([name, form]) => {
      const body = schemas[name]
      return body === undefined ? [] : [[form, asForm(body)]]
    }),
  )

type RequestBody = NonNullable<OpenApi.OpenAPISpecOperation["requestBody"]>

/** With the form beside the JSON, where there is one. */
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
