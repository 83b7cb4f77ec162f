/** The README's table of settings, as the variables themselves say it. */
import { variables } from "@mailroom/server/config/variables"

const cell = (text: string): string => text.replaceAll("|", "\\|")

/** The rows of `| variable | default | meaning |`, padded as the formatter pads tables. */
export const settingsTable = (): string => {
  const rows = Object.values(variables).map(({ name, fallback, meaning }) => [
    `\`${name}\``,
    fallback === null ? "" : `\`${fallback}\``,
    cell(meaning),
  ])
  const all = [["variable", "default", "meaning"], ...rows]
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const line = (row: ReadonlyArray<string>, fill = " ") =>
    `| ${row.map((text, column) => text.padEnd(widths[column] ?? 0, fill)).join(" | ")} |`
  return [
    line(["variable", "default", "meaning"]),
    line(["", "", ""], "-"),
    ...rows.map((row) => line(row)),
  ].join("\n")
}
