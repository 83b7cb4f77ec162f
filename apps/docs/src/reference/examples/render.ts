/** An example as a command of curl, a call of the client, and a call of an MCP tool. */
import type { ApiOperation } from "@mailroom/api"
import type { Example, Json } from "./Example.js"

/** The variable of a path parameter, by its name and by what its path begins with. */
const ownVariables: Readonly<Record<string, string>> = {
  msgId: "$MESSAGE",
  tid: "$THREAD",
  draftId: "$DRAFT",
  entryId: "$ENTRY",
  deliveryId: "$DELIVERY",
  direction: "receive",
  kind: "block",
}
const idVariables: Readonly<Record<string, string>> = {
  mailboxes: "$MAILBOX",
  "api-keys": "$KEY",
  attachments: "$ATTACHMENT",
  domains: "$DOMAIN",
  suppressions: "$SUPPRESSION",
  webhooks: "$WEBHOOK",
}

const pathValues = (path: string): ReadonlyArray<readonly [name: string, value: string]> =>
  [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = ""]) => {
    const [, , resource = ""] = path.split("/")
    const value = ownVariables[name] ?? idVariables[resource]
    if (value === undefined) throw new Error(`no variable for {${name}} of ${path}`)
    return [name, value]
  })

const variable = /^\$[A-Z_]+$/

/** Variables that are no ids. */
const plainNames = ["slug", "token", "email", "digest", "domainName", "downloadUrl"]

/** `MESSAGE` as a name in a program, `messageId`. */
export const programName = (name: string): string => {
  const words = name.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return plainNames.includes(words) ? words : `${words}Id`
}

/** JSON in single quotes for a shell, which replaces the variables in it. */
const shellJson = (body: Json): string =>
  `'${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`.replace(/\$[A-Z_]+/g, (name) => `'"${name}"'`)

const isPlain = (value: string): boolean => /^[\w@.:+-]+$/.test(value)

/** The query as options of curl: with `-G` they go into the URL. */
const queryOptions = (query: NonNullable<Example["query"]>): ReadonlyArray<string> =>
  Object.entries(query).map(([name, value]) =>
    isPlain(String(value)) ? `-d ${name}=${value}` : `--data-urlencode '${name}=${value}'`,
  )

const bodyOptions = ({ body, curl }: Example): ReadonlyArray<string> =>
  curl ?? (body === undefined ? [] : ["-H 'content-type: application/json'", `-d ${shellJson(body)}`])

/** The command for an operation. It prints the body of the response. */
export const curlCommand = (operation: ApiOperation, example: Example): string => {
  if (example.command !== undefined) return example.command
  const { method, path, security } = operation
  const { query = {} } = example
  const place = pathValues(path).reduce((text, [name, value]) => text.replace(`{${name}}`, value), path)
  const sent = bodyOptions(example)
  const isGet = method === "GET"
  const inUrl = isGet
    ? ""
    : new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString()
  const options = isGet ? queryOptions(query) : sent
  const flags =
    isGet && options.length > 0
      ? "-G "
      : isGet || (method === "POST" && sent.length > 0)
        ? ""
        : `-X ${method} `
  return [
    `curl ${flags}"$MAILROOM_URL${place}${inUrl === "" ? "" : `?${inUrl}`}"`,
    ...(security.length > 0 ? ['-H "Authorization: Bearer $MAILROOM_API_KEY"'] : []),
    ...options,
  ].join(" \\\n  ")
}

const literal = (value: Json, indent: string): string => {
  if (typeof value === "string" && variable.test(value)) return programName(value.slice(1))
  if (Array.isArray(value)) return `[${value.map((item: Json) => literal(item, indent)).join(", ")}]`
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).map(([name, field]) => {
      const text = literal(field, `${indent}  `)
      return text === name ? name : `${name}: ${text}`
    })
    const line = `{ ${fields.join(", ")} }`
    return fields.length === 0
      ? "{}"
      : line.length <= 56
        ? line
        : `{\n${fields.map((field) => `${indent}  ${field},\n`).join("")}${indent}}`
  }
  return JSON.stringify(value)
}

/** The call of the client for an operation. */
export const clientCall = ({ operationId, path }: ApiOperation, example: Example): string => {
  if (example.program !== undefined) return example.program
  const input = example.body ?? example.query
  const last = example.argument ?? (input === undefined ? undefined : literal(input, ""))
  const values = pathValues(path).map(([, value]) => literal(value, ""))
  const inputs = [...values, ...(last === undefined ? [] : [last])].join(", ")
  return `const result = await mailroom.${example.method ?? operationId}(${inputs})`
}

/** The call of a tool, as the `params` of `tools/call`. */
export const toolCall = ({ tool }: Example): string | null =>
  tool === undefined ? null : JSON.stringify(tool, null, 2)
