/** JSON schemas as lists of fields. */
import { escapeHtml, inline } from "../site/html.js"
import type { JsonSchema } from "@mailroom/api"
import { typeUrl } from "./places.js"

export const nameIn = (reference: string): string => reference.slice(reference.lastIndexOf("/") + 1)

/** A schema without the wrappers that only add a description. */
export const unwrapped = (node: JsonSchema): JsonSchema => {
  const [first, ...more] = node.allOf ?? []
  return first !== undefined && more.length === 0 && node.properties === undefined ? unwrapped(first) : node
}

const arrayOf = (html: string): string => `array of ${html}`

/** The type of a value, with links to named types. */
export const typeHtml = (node: JsonSchema): string => {
  const { $ref, type, anyOf, oneOf, items, enum: values, format } = unwrapped(node)
  if ($ref !== undefined && nameIn($ref) === "Int") return "integer"
  if ($ref !== undefined) return `<a href="${typeUrl(nameIn($ref))}">${escapeHtml(nameIn($ref))}</a>`
  if (values !== undefined)
    return values.map((value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(" or ")
  const either = anyOf ?? oneOf
  if (either !== undefined) return [...new Set(either.map(typeHtml))].join(" or ")
  if (items !== undefined) return arrayOf(typeHtml(items))
  if (format === "uuid" || format === "binary") return format === "uuid" ? "UUID" : "file"
  return typeof type === "string" ? type : (type ?? ["any"]).join(" or ")
}

const range = (least: number | undefined, most: number | undefined, unit: string): ReadonlyArray<string> => {
  if (least !== undefined && most !== undefined) return [`${least} to ${most}${unit}`]
  if (most !== undefined) return [`at most ${most}${unit}`]
  return least === undefined ? [] : [`at least ${least}${unit}`]
}

/** The bounds of a value, such as `at most 200 characters`. */
const boundsOf = (node: JsonSchema): ReadonlyArray<string> => {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = unwrapped(node)
  return [
    ...range(minLength, maxLength, " characters"),
    ...range(minimum, maximum, ""),
    ...range(minItems, maxItems, " items"),
  ]
}

export interface Field {
  readonly name: string
  readonly node: JsonSchema
  readonly required: boolean
  readonly description?: string | undefined
}

/** The fields inside a value, shown below it: those of an object without a name, or of the items of a list. */
const innerFields = (node: JsonSchema): ReadonlyArray<Field> => {
  const inner = unwrapped(node)
  return inner.items === undefined ? fieldsOf(inner) : innerFields(inner.items)
}

export const fieldsOf = ({ properties = {}, required = [] }: JsonSchema): ReadonlyArray<Field> =>
  Object.entries(properties).map(([name, node]) => ({
    name,
    node,
    required: required.includes(name),
    description: node.description,
  }))

const fieldHtml =
  (showsRequired: boolean) =>
  (field: Field): string => {
    const { name, node, required, description } = field
    const inner = innerFields(node)
    const facts = [...(showsRequired && required ? ["required"] : []), ...boundsOf(node)]
    return (
      `<li><div class="field"><code class="name">${escapeHtml(name)}</code> <span class="type">${typeHtml(node)}</span>` +
      facts
        .map((fact) => ` <span class="fact${fact === "required" ? " required" : ""}">${fact}</span>`)
        .join("") +
      `</div>${description === undefined ? "" : `<p>${inline(description)}</p>`}` +
      (inner.length === 0
        ? ""
        : `<details><summary>Fields of <code>${escapeHtml(name)}</code></summary>${fieldList(inner, showsRequired)}</details>`) +
      "</li>"
    )
  }

/** `showsRequired` is for what a client sends; in responses a field that is not required may be absent. */
export const fieldList = (fields: ReadonlyArray<Field>, showsRequired: boolean): string =>
  `<ul class="fields">${fields.map(fieldHtml(showsRequired)).join("")}</ul>`
