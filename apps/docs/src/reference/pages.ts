/** The pages of the reference, from the OpenAPI document. */
import { errorCodes, type JsonSchema } from "@mailroom/api"
import { escapeHtml, inline } from "../site/html.js"
import { type Heading, type Page, type SearchSection, urlOf } from "../site/Page.js"
import { tableHtml } from "../site/table.js"
import { fieldList, fieldsOf, typeHtml } from "./fields.js"
import { eventsPage } from "./eventsPage.js"
import { operationHtml } from "./operationHtml.js"
import { type Group, readReference, type Reference } from "./openapi.js"
import { groupPath } from "./places.js"
import { type Recorded, recordedResponses } from "./responses.js"

const names = (node: JsonSchema): string => Object.keys(node.properties ?? {}).join(" ")

const groupPage = (group: Group, { schemas }: Reference, recorded: Recorded): Page => {
  const { name, description, operations } = group
  const headings = operations.map(({ operationId, summary }) => ({
    id: operationId,
    text: summary,
    level: 2,
  }))
  const sections = operations.map(
    ({ operationId, summary, description: text, method, path, parameters }) => ({
      anchor: operationId,
      heading: summary,
      text: `${method} ${path} ${operationId} ${text} ${parameters.map((parameter) => parameter.name).join(" ")}`,
    }),
  )
  return {
    path: groupPath(group),
    title: name,
    description,
    html:
      `<header class="intro"><h1>${escapeHtml(name)}</h1><p>${inline(description)}</p></header>` +
      operations.map((operation) => operationHtml(operation, schemas, recorded)).join(""),
    headings,
    sections: [{ anchor: "", heading: name, text: description }, ...sections],
    layout: "reference",
  }
}

/** The schemas of errors have their own page; the bodies of forms repeat those of JSON. */
const isType = (name: string): boolean => !(name in errorCodes) && name !== "Int"

const typePage = ({ schemas }: Reference): Page => {
  const types = Object.entries(schemas)
    .filter(([name]) => isType(name))
    .sort(([one], [other]) => one.localeCompare(other))
  const html = types.map(([name, node]) => {
    const fields = fieldsOf(node)
    return (
      `<section class="type"><h2 id="${name}"><a class="anchor" href="#${name}">${escapeHtml(name)}</a></h2>` +
      (node.description === undefined ? "" : `<p>${inline(node.description)}</p>`) +
      (fields.length > 0 ? fieldList(fields, false) : `<p class="type">${typeHtml(node)}</p>`) +
      "</section>"
    )
  })
  return {
    path: "reference/types",
    title: "Types",
    description: "Every object of the API with its fields.",
    html: `<h1>Types</h1><p>The objects of requests and responses. A client ignores fields that it does not know.</p>${html.join("")}`,
    headings: types.map(([name]) => ({ id: name, text: name, level: 2 })),
    sections: types.map(([name, node]) => ({
      anchor: name,
      heading: name,
      text: `${node.description ?? ""} ${names(node)}`,
    })),
    layout: "text",
  }
}

const codeRows = (codes: Readonly<Record<string, string>>, isFirst: (code: string) => boolean): string =>
  Object.entries(codes)
    .map(([code, meaning]) => {
      // A code that two statuses share is linked at the first.
      const id = isFirst(code) ? ` id="${code}"` : ""
      return `<tr${id}><td><code>${code}</code></td><td>${inline(meaning)}</td></tr>`
    })
    .join("")

const errorPage = (): Page => {
  const seen = new Set<string>()
  const isFirst = (code: string) => !seen.has(code) && seen.add(code) !== undefined
  const kinds = Object.entries(errorCodes)
  const html = kinds.map(
    ([name, { status, codes }]) =>
      `<section><h2 id="${name}"><a class="anchor" href="#${name}">${status} ${name}</a></h2>` +
      `${tableHtml("<th>code</th><th>meaning</th>", codeRows(codes, isFirst))}</section>`,
  )
  return {
    path: "reference/errors",
    title: "Error codes",
    description: "Every code that an error of the API can have.",
    html:
      "<h1>Error codes</h1><p>Every error is JSON with <code>error</code>, a sentence for people, and <code>code</code>, which does not change. " +
      `<a href="${urlOf("guides/errors")}">Handling errors</a> says what a program does with them.</p>${html.join("")}`,
    headings: kinds.map(([name, { status }]) => ({ id: name, text: `${status} ${name}`, level: 2 })),
    sections: kinds.flatMap(([name, { status, codes }]): ReadonlyArray<SearchSection> => [
      { anchor: name, heading: `${status} ${name}`, text: Object.keys(codes).join(" ") },
      ...Object.entries(codes).map(([code, meaning]) => ({ anchor: code, heading: code, text: meaning })),
    ]),
    layout: "text",
  }
}

const overviewPage = ({ groups }: Reference): Page => {
  const headings: ReadonlyArray<Heading> = [
    { id: "calls", text: "Calls", level: 2 },
    { id: "operations", text: "Operations", level: 2 },
  ]
  const list = groups.map((group) => {
    const items = group.operations.map(
      ({ operationId, method, path, summary }) =>
        `<li><a href="${urlOf(groupPath(group))}#${operationId}"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code></a><span>${inline(summary)}</span></li>`,
    )
    return `<h3><a href="${urlOf(groupPath(group))}">${escapeHtml(group.name)}</a></h3><ul class="index">${items.join("")}</ul>`
  })
  const calls = [
    "JSON in and out, at the address of the service. <code>Authorization: Bearer mr_…</code> carries the key.",
    `Every list has <code>limit</code> and <code>cursor</code>; <code>metadata.nextCursor</code> leads to the next page. Errors have a <a href="/docs/reference/errors">code</a>.`,
    `Every POST of a caller takes <code>Idempotency-Key</code>: with the same key and body, the work is done once, for 24 hours. <a href="/docs/specification/service">The conventions</a> say more.`,
    `The same for programs: <a href="/openapi.json">/openapi.json</a>; for language models: <a href="/llms-full.txt">/llms-full.txt</a>.`,
  ]
  return {
    path: "reference",
    title: "API reference",
    description: "Every operation of the API, with examples for curl, the client and MCP.",
    html:
      "<h1>API reference</h1>" +
      `<h2 id="calls"><a class="anchor" href="#calls">Calls</a></h2><ul>${calls.map((call) => `<li>${call}</li>`).join("")}</ul>` +
      `<h2 id="operations"><a class="anchor" href="#operations">Operations</a></h2>${list.join("")}`,
    headings,
    sections: [
      {
        anchor: "",
        heading: "API reference",
        text: "openapi authorization bearer key idempotency cursor limit",
      },
    ],
    layout: "text",
  }
}

/** The pages of the reference, in the order of the navigation. */
export const referencePages = (): ReadonlyArray<Page> => {
  const reference = readReference()
  const recorded = recordedResponses()
  return [
    overviewPage(reference),
    ...reference.groups.map((group) => groupPage(group, reference, recorded)),
    eventsPage(reference),
    errorPage(),
    typePage(reference),
  ]
}
