/** The text of `docs/conformance.md`: every row of the specification, its test, and where the test runs. */
import { anchorOf, table } from "./markdown.js"
import type { Part, RowTest } from "./Row.js"
import type { Section } from "./rows/Section.js"

export interface Conformance {
  /** rows by page of docs/specification, under their headings */
  readonly pages: Readonly<Record<string, ReadonlyArray<Section>>>
  /** tests by the name of their file in `test/parts` */
  readonly tests: Readonly<Record<string, Part>>
  /** by row: why it has no test yet */
  readonly waiting: Readonly<Record<string, string>>
}

interface Held {
  readonly file: string
  readonly test: RowTest
}

/** All ids, with duplicates. */
export const idsOf = ({ pages }: Pick<Conformance, "pages">): ReadonlyArray<string> =>
  Object.values(pages).flatMap((sections) => sections.flatMap(({ rows }) => Object.keys(rows)))

/** The tests by row. */
export const heldBy = ({ tests }: Pick<Conformance, "tests">): ReadonlyMap<string, ReadonlyArray<Held>> => {
  const held = new Map<string, ReadonlyArray<Held>>()
  for (const [file, part] of Object.entries(tests))
    for (const test of part)
      for (const id of test.rows) held.set(id, [...(held.get(id) ?? []), { file, test }])
  return held
}

const worlds: { readonly [K in RowTest["kind"]]: string } = {
  both: "memory, sockets",
  virtual: "memory",
  wire: "sockets",
}

export const report = (conformance: Conformance): string => {
  const { pages, waiting } = conformance
  const held = heldBy(conformance)

  const rowLine = (id: string, text: string): ReadonlyArray<string> => {
    const found = held.get(id) ?? []
    return [
      `\`${id}\``,
      text,
      found.map(({ file, test }) => `${file}: ${test.name}`).join("; "),
      found.length > 0
        ? [...new Set(found.map(({ test }) => worlds[test.kind]))].join("; ")
        : `waiting: ${waiting[id] ?? "no test"}`,
    ]
  }

  const summary = table(
    ["page", "rows", "held", "waiting"],
    Object.entries(pages).map(([page, sections]) => {
      const ids = idsOf({ pages: { [page]: sections } })
      const done = ids.filter((id) => held.has(id)).length
      return [
        `[${page}](specification/${page}.md)`,
        String(ids.length),
        String(done),
        String(ids.length - done),
      ]
    }),
  )

  const chapters = Object.entries(pages).flatMap(([page, sections]) => [
    `## ${page}`,
    ...sections.flatMap(({ heading, rows }) => [
      `### [${heading}](specification/${page}.md#${anchorOf(heading)})`,
      table(
        ["row", "says", "held by", "in"],
        Object.entries(rows).map(([id, text]) => rowLine(id, text)),
      ),
    ]),
  ])

  return [
    "# Conformance",
    "Every rule of the [specification](specification/README.md), the test that holds it, and the worlds in which the test " +
      "runs: the whole application in memory, and a running server over HTTP and SMTP. In both, every response is checked " +
      "against the OpenAPI document that the service serves. `npm run conformance` writes this page; a test fails when it " +
      "is not current.",
    summary,
    ...chapters,
  ]
    .join("\n\n")
    .concat("\n")
}
