/** One operation of the reference: what it does, what it takes and answers, and its examples. */
import { codeBlock } from "../site/highlight.js"
import { escapeHtml, inline, textOf } from "../site/html.js"
import { clientCall, curlCommand, exampleOf, toolCall } from "./examples/index.js"
import { type Field, fieldList, fieldsOf, nameIn, typeHtml, unwrapped } from "./fields.js"
import type { ApiOperation, ApiParameter, ApiResponse, JsonSchema } from "@mailroom/api"
import type { Reference } from "./openapi.js"
import { errorUrl, typeUrl } from "./places.js"
import type { Recorded } from "./responses.js"

type Schemas = Reference["schemas"]

/** A schema with its name, when it has one. */
const resolved = (
  node: JsonSchema,
  schemas: Schemas,
): { readonly name: string | null; readonly node: JsonSchema } => {
  const inner = unwrapped(node)
  if (inner.$ref === undefined) return { name: null, node: inner }
  const name = nameIn(inner.$ref)
  return { name, node: schemas[name] ?? inner }
}

/** The schema of a body that may be missing is `X or null`. */
const withoutNull = (node: JsonSchema): JsonSchema => {
  const [first, ...more] = (node.anyOf ?? []).filter(({ type }) => type !== "null")
  return first !== undefined && more.length === 0 ? first : node
}

const parameterField = ({ name, required, description, schema }: ApiParameter): Field => ({
  name,
  node: { ...schema, description: undefined },
  required: required === true,
  description,
})

const sectionHtml = (title: string, html: string): string => (html === "" ? "" : `<h3>${title}</h3>${html}`)

const parametersHtml = (operation: ApiOperation, place: ApiParameter["in"], title: string): string => {
  const fields = operation.parameters.filter((parameter) => parameter.in === place).map(parameterField)
  return fields.length === 0 ? "" : sectionHtml(title, fieldList(fields, true))
}

const bodyHtml = ({ requestBody }: ApiOperation, schemas: Schemas): string => {
  const content = Object.entries(requestBody?.content ?? {})
  const [first] = content
  if (first === undefined) return ""
  const [type, { schema = {} }] = first
  const { name, node } = resolved(withoutNull(schema), schemas)
  const types = content.map(([one]) => `<code>${escapeHtml(one)}</code>`).join(" or ")
  const fields = fieldsOf(node)
  const title = requestBody?.required === false ? "Body, optional" : "Body"
  const intro = `<p class="media">${types}${name === null ? "" : `: <a href="${typeUrl(name)}">${escapeHtml(name)}</a>`}</p>`
  const text = fields.length > 0 ? fieldList(fields, true) : `<p>${inline(node.description ?? type)}</p>`
  return sectionHtml(title, intro + text)
}

const successHtml = (
  status: string,
  { description = "", content = {} }: ApiResponse,
  schemas: Schemas,
): string => {
  const [first] = Object.entries(content)
  if (first === undefined)
    return `<li><p><span class="status">${status}</span> ${inline(description)}</p></li>`
  const [type, { schema = {} }] = first
  const { name, node } = resolved(schema, schemas)
  const fields = fieldsOf(node)
  const shape = schema.properties === undefined ? typeHtml(schema) : "object"
  // A summary is a button: links stay outside of it.
  const summary = `<span class="status">${status}</span> <code>${escapeHtml(type)}</code>`
  return fields.length === 0
    ? `<li><p>${summary} <span class="type">${shape}</span></p></li>`
    : `<li><details><summary>${summary} <span class="type">${textOf(shape)}</span></summary>${name === null ? "" : `<p class="media">${shape}</p>`}${fieldList(fields, false)}</details></li>`
}

const errorHtml = (status: string, { content = {} }: ApiResponse): string => {
  const schema = Object.values(content)[0]?.schema
  const names = [schema, ...(schema?.anyOf ?? [])].flatMap((node) =>
    node?.$ref === undefined ? [] : [nameIn(node.$ref)],
  )
  const links = names.map((name) => `<a href="${errorUrl(name)}">${escapeHtml(name)}</a>`)
  return `<li><span class="status">${status}</span> ${links.join(" or ")}</li>`
}

const responsesHtml = ({ responses }: ApiOperation, schemas: Schemas): string => {
  const all = Object.entries(responses)
  const ends = all.filter(([status]) => status < "400")
  const errors = all.filter(([status]) => status >= "400")
  return (
    sectionHtml(
      "Responses",
      `<ul class="responses">${ends.map(([status, one]) => successHtml(status, one, schemas)).join("")}</ul>`,
    ) +
    sectionHtml(
      "Errors",
      `<ul class="errors">${errors.map(([status, one]) => errorHtml(status, one)).join("")}</ul>`,
    )
  )
}

const keyText = (operation: ApiOperation): string => {
  if (operation.security.length === 0) return "No key"
  if (operation["x-keys"] === "none") return "Session of the owner"
  return operation["x-keys"] === "full" ? "Key with full access" : "Any key"
}

/** What the caller needs; the sentence about it in the description is left out. */
const accessHtml = (operation: ApiOperation): string => {
  const permissions = (operation["x-permissions"] ?? []).map((name) => `<code>${escapeHtml(name)}</code>`)
  const needed = permissions.length === 0 ? "" : `, with ${permissions.join(" or ")}`
  return `<p class="access">${keyText(operation)}${needed}</p>`
}

const withoutAccess = (description: string): string =>
  description.replace(
    / ?Needs (?:(?:full access and )?(?:`\w+`|no permission)(?: or `\w+`)*|the session of the owner)\.$/,
    "",
  )

interface Tab {
  readonly name: string
  readonly label: string
  readonly html: string
}

/** Tabs without script: radio buttons, of which the style shows the panel of the checked one. */
const tabsHtml = (id: string, tabs: ReadonlyArray<Tab>): string =>
  `<fieldset class="tabs"><legend>Example</legend>` +
  tabs
    .map(
      ({ name, label }, index) =>
        `<label><input type="radio" name="tab-${id}" value="${name}"${index === 0 ? " checked" : ""}><span>${label}</span></label>`,
    )
    .join("") +
  tabs.map(({ name, html }) => `<div class="panel ${name}">${html}</div>`).join("") +
  "</fieldset>"

const prettyBody = (body: string, contentType: string): readonly [code: string, language: string] =>
  contentType.includes("json") ? [JSON.stringify(JSON.parse(body), null, 2), "json"] : [body, "http"]

const recordedHtml = (recorded: Recorded[string] | undefined): string => {
  if (recorded === undefined) return ""
  const [code, language] = prettyBody(recorded.body, recorded.contentType)
  return `<div class="response"><p class="caption">Response <span class="status">${recorded.status}</span></p>${codeBlock(code, language, "Response")}</div>`
}

const examplesHtml = (operation: ApiOperation, recorded: Recorded[string] | undefined): string => {
  const example = exampleOf(operation.operationId)
  const tool = toolCall(example)
  const tabs = [
    { name: "curl", label: "curl", html: codeBlock(curlCommand(operation, example), "sh", "Command") },
    { name: "client", label: "Client", html: codeBlock(clientCall(operation, example), "ts", "Program") },
    ...(tool === null
      ? []
      : [{ name: "mcp", label: "MCP", html: codeBlock(tool, "json", "Call of a tool") }]),
  ]
  return tabsHtml(operation.operationId.replace(".", "-"), tabs) + recordedHtml(recorded)
}

export const operationHtml = (operation: ApiOperation, schemas: Schemas, recorded: Recorded): string => {
  const { operationId, method, path, summary } = operation
  return (
    `<section class="operation" aria-labelledby="${operationId}">` +
    `<div class="what"><h2 id="${operationId}"><a class="anchor" href="#${operationId}">${inline(summary)}</a></h2>` +
    `<p class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code></p>` +
    accessHtml(operation) +
    `<p>${inline(withoutAccess(operation.description))}</p>` +
    parametersHtml(operation, "path", "Path") +
    parametersHtml(operation, "query", "Query") +
    parametersHtml(operation, "header", "Headers") +
    bodyHtml(operation, schemas) +
    responsesHtml(operation, schemas) +
    `</div><div class="examples">${examplesHtml(operation, recorded[operationId])}</div></section>`
  )
}
