/**
 * The pages of docs/specification: where each rule stands, and the tables that are generated into them. A table stands
 * between `<!-- generated: <table> <arguments> -->` and `<!-- /generated -->`.
 */
import { errorCodes } from "@mailroom/api"
import { auditActions, Plan, plans } from "@mailroom/domain"
import type { Section } from "../rows/Section.js"
import { table } from "../markdown.js"
import { accessHead, accessLines, permissionHead, permissionLines } from "./accessTable.js"
import { fieldsOf, routesOf } from "./fieldTables.js"
import { bytes, limitTables } from "./limitTables.js"

const code = (text: string): string => `\`${text}\``

const unlimited = (count: number | null): string =>
  count === null ? "unlimited" : count === 0 ? "none" : count.toLocaleString("en-US")

const planTable = (): string =>
  table(
    [
      "plan",
      "USD a month",
      "mailboxes",
      "sends a day per mailbox",
      "sends a month per mailbox",
      "inbound a month",
      "custom domains",
      "storage",
      "rules",
    ],
    Plan.literals.map((name) => {
      const plan = plans[name]
      const id = `limits.plans.${name.toLowerCase()}`
      return [
        name,
        String(plan.priceUsd),
        unlimited(plan.mailboxes),
        unlimited(plan.sendsPerDay),
        unlimited(plan.sendsPerMonth),
        unlimited(plan.inboundPerMonth),
        unlimited(plan.customDomains),
        bytes(plan.storageBytes),
        `${code(id)}, ${code(`${id}-domains`)}`,
      ]
    }),
  )

const limitTable = (name: string): string =>
  table(
    ["limit", "value", "rules"],
    (limitTables[name] ?? []).map(({ what, value, rows }) => [what, value, rows.map(code).join(", ")]),
  )

/** Error codes whose condition is a rule of its own. */
const rowOfCode: Readonly<Record<string, string>> = {
  PAYMENT_REQUIRED: "errors.code.payment",
  INBOUND_LIMIT_EXCEEDED: "errors.code.inbound",
  INBOUND_TRIAL_LIMIT_EXCEEDED: "errors.code.inbound-trial",
}

const codeTable = (): string =>
  table(
    ["status", "code", "meaning", "rule"],
    Object.values(errorCodes).flatMap(({ status, codes }) =>
      Object.entries(codes).map(([name, meaning]) => {
        const row = rowOfCode[name]
        return [String(status), code(name), meaning, row === undefined ? "" : code(row)]
      }),
    ),
  )

/** The fields of a schema; those that are a rule of their own, `<prefix>.<field>`, carry its id. */
const fieldTable = (ids: ReadonlySet<string>, name: string, prefix: string): string =>
  table(
    ["field", "type", "meaning", "rule"],
    fieldsOf(name).map(({ name: field, type, isOptional, description }) => {
      const row = `${prefix}.${field}`
      return [code(`${field}${isOptional ? "?" : ""}`), type, description, ids.has(row) ? code(row) : ""]
    }),
  )

/** `group`: the name of a group of the contract, with `_` for spaces. Throws for another, so that no table stays empty. */
const routesIn = (group: string): ReturnType<typeof routesOf> => {
  const routes = routesOf(group.replaceAll("_", " "))
  if (routes.length === 0) throw new Error(`no routes in the group ${group}`)
  return routes
}

const routeTable = (groups: ReadonlyArray<string>): string =>
  table(
    ["route", "success", "what it does"],
    groups.flatMap(routesIn).map(({ name, success, summary }) => [code(name), success, summary]),
  )

const generate = (ids: ReadonlySet<string>, name: string, args: ReadonlyArray<string>): string => {
  const [first = "", second = ""] = args
  switch (name) {
    case "plans":
      return planTable()
    case "limits":
      return limitTable(first)
    case "codes":
      return codeTable()
    case "access":
      return table(accessHead, accessLines())
    case "permissions":
      return table(permissionHead, permissionLines())
    case "audit":
      return table(
        ["action", "meaning"],
        Object.entries(auditActions).map(([action, meaning]) => [code(action), meaning]),
      )
    case "fields":
      return fieldTable(ids, first, second)
    case "routes":
      return routeTable(args)
    default:
      throw new Error(`no generated table ${name}`)
  }
}

/** The page with its generated tables made anew; `ids` are those of all rules. */
export const withTables = (page: string, ids: ReadonlySet<string>): string =>
  page.replaceAll(
    /(<!-- generated: (.+) -->\n)[\s\S]*?(<!-- \/generated -->)/g,
    (_, begin: string, words: string, end: string) => {
      const [name = "", ...args] = words.split(" ")
      return `${begin}\n${generate(ids, name, args)}\n\n${end}`
    },
  )

/**
 * The rules of a page as `heading: id`, in their order. Backticked text is an id when it begins like the id of some rule
 * (`limits.send.`…): other names with dots, such as paths in a payload, are not.
 */
export const rulesOn = (page: string, ids: ReadonlySet<string>): ReadonlyArray<string> => {
  const beginning = (id: string): string => id.split(".", 2).join(".")
  const beginnings = new Set([...ids].map(beginning))
  let heading = ""
  return page.split("\n").flatMap((line) => {
    heading = /^#+ (.*)$/.exec(line)?.[1] ?? heading
    return [...line.matchAll(/`([a-z-]+(?:\.[\w-]+)+)`/g)]
      .map(([, id = ""]) => id)
      .filter((id) => beginnings.has(beginning(id)))
      .map((id) => `${heading}: ${id}`)
  })
}

/** The rules of a page's sections as `heading: id`. */
export const rulesOf = (sections: ReadonlyArray<Section>): ReadonlyArray<string> =>
  sections.flatMap(({ heading, rows }) => Object.keys(rows).map((id) => `${heading}: ${id}`))
