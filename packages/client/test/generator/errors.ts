/** Writes one class for each error code of the contract. */
import { errorCodes } from "@mailroom/api"
import { contract } from "./contract.js"
import { comment } from "./schema.js"

const { schemas } = contract()

/** The class of the errors of a status, where it has several codes. */
const statusClasses: Readonly<Record<number, string>> = {
  400: "BadRequestError",
  402: "PaymentError",
  403: "ForbiddenError",
  404: "NotFoundError",
  409: "ConflictError",
  410: "GoneError",
  413: "TooLargeError",
  415: "MediaTypeError",
  422: "UnprocessableError",
  429: "TooManyRequestsError",
  503: "UnavailableError",
}

interface Code {
  readonly code: string
  readonly status: number
  /** the schema of the body */
  readonly body: string
  readonly meaning: string
}

const codes = Object.entries(errorCodes).flatMap(([body, group]) =>
  Object.entries(group.codes).map(([code, meaning]): Code => ({
    code,
    status: group.status,
    // Errors of pages are not in the document.
    body: schemas[body] === undefined ? "ErrorBody" : body,
    meaning,
  })),
)

const className = (code: string): string => {
  // `InternalError` is the body.
  if (code === "INTERNAL_ERROR") return "InternalServerError"
  const words = code.toLowerCase().split("_")
  const name = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")
  return name.endsWith("Error") ? name : `${name}Error`
}

/** The codes without repetition. A code that two statuses have belongs to the later one. */
const unique = [...new Map(codes.map((code) => [code.code, code])).values()].toSorted((a, b) =>
  a.code < b.code ? -1 : 1,
)

const bodies = (of: ReadonlyArray<Code>): string => [...new Set(of.map(({ body }) => body))].join(" | ")

const statusText = ([status, name]: readonly [string, string]): string =>
  [
    comment([`Errors of status ${status}.`]),
    `export class ${name} extends MailroomError {\n`,
    `  declare readonly body: ${bodies(codes.filter((code) => String(code.status) === status))}\n}\n`,
  ].join("")

const codeText = ({ code, body, meaning }: Code): string => {
  const same = codes.filter((other) => other.code === code)
  const status = [...new Set(same.map(({ status }) => status))].join(" or ")
  const parent = same.length === 1 ? statusClasses[same[0]?.status ?? 0] : undefined
  const meanings =
    same.length === 1 ? meaning : same.map(({ status, meaning }) => `${status}: ${meaning}`).join("; ")
  return [
    comment([`${status} \`${code}\`: ${meanings}.`]),
    `export class ${className(code)} extends ${parent ?? (same.length === 1 ? "MailroomError" : "NotFoundError")} {`,
    same.length === 1 ? `\n  declare readonly body: ${body}\n}\n` : "}\n",
  ].join("")
}

export const errorsFile = (): string => {
  const types = [...new Set(codes.map(({ body }) => body))].filter((body) => body !== "ErrorBody").toSorted()
  const single = unique.filter(({ status }) => statusClasses[status] === undefined)
  const statuses = [
    ...Object.entries(statusClasses),
    ...single.map(({ status, code }) => [String(status), className(code)] as const),
  ].toSorted(([a], [b]) => Number(a) - Number(b))
  return [
    "/** Generated from the contract by `npm run client`; do not edit. */\n",
    `import { type ErrorBody, MailroomError } from "../MailroomError.js"\n`,
    `import type {\n${types.map((type) => `  ${type},\n`).join("")}} from "./types.js"\n\n`,
    [...Object.entries(statusClasses).map(statusText), ...unique.map(codeText)].join("\n"),
    "\n/** The class of each code. */\n",
    `export const codeClasses = {\n${unique.map(({ code }) => `  ${code}: ${className(code)},\n`).join("")}}\n`,
    "\nexport type ErrorCode = keyof typeof codeClasses\n",
    "\n/** The class of a code that this client does not know, by the status. */\n",
    `export const statusClasses = {\n${statuses.map(([status, name]) => `  ${status}: ${name},\n`).join("")}}\n`,
  ].join("")
}
