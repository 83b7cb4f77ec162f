/** Prints results: for people on a terminal, as lines for programs, or as JSON. */
import { Context, Effect, Layer } from "effect"
import { safeJson, safeText } from "./safeText.js"
import { hasColours, Shell } from "./Shell.js"
import { type Column, type Layout, rowLines, tableLines } from "./table.js"

const DEFAULT_WIDTH = 80

/** A list as `--json` prints it. */
export interface Listed<Item> {
  readonly items: ReadonlyArray<Item>
  /** whether there are more items than the command was asked for */
  readonly hasMore: boolean
}

export interface Styles {
  readonly bold: (text: string) => string
  readonly faint: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
}

const styled = (isColoured: boolean, code: number, end: number) => (text: string) =>
  isColoured ? `\u001b[${code}m${text}\u001b[${end}m` : text

const stylesFor = (isColoured: boolean): Styles => ({
  bold: styled(isColoured, 1, 22),
  faint: styled(isColoured, 2, 22),
  red: styled(isColoured, 31, 39),
  green: styled(isColoured, 32, 39),
})

const make = (shell: Shell["Type"], isJson: boolean) => {
  const { stdout, stderr } = shell
  const styles = stylesFor(hasColours(shell, stdout))
  const layout: Layout = {
    isTerminal: stdout.isTerminal,
    width: stdout.columns ?? DEFAULT_WIDTH,
    bold: styles.bold,
  }
  const write = (text: string) => Effect.promise(() => stdout.write(`${text}\n`))
  /** On a terminal with one field a line; elsewhere one value a line, so that a stream of values can be read. */
  const json = (value: unknown) => write(safeJson(value, stdout.isTerminal ? 2 : undefined))
  return {
    isJson,
    isTerminal: stdout.isTerminal,
    styles,
    /** Prints a line of the command's own, with styles: parts by others have to be `safeLine`. */
    write,
    /** Prints bytes as they are. */
    bytes: (bytes: Uint8Array) => Effect.promise(() => stdout.write(bytes)),
    /** Prints text by others, without its control characters. */
    text: (text: string) => write(safeText(text)),
    json,
    /** Prints a resource: as JSON, or the text for people. */
    value: <A>(value: A, text: (value: A) => string): Effect.Effect<void> =>
      isJson ? json(value) : write(text(value)),
    /** Prints a list: as JSON, or as a table. */
    list: <Item>(listed: Listed<Item>, columns: ReadonlyArray<Column<Item>>): Effect.Effect<void> => {
      if (isJson) return json(listed)
      if (listed.items.length === 0)
        return stdout.isTerminal ? write(styles.faint("There are none.")) : Effect.void
      const more = listed.hasMore && stdout.isTerminal ? [styles.faint("There are more: raise --limit.")] : []
      return write([...tableLines(listed.items, columns, layout), ...more].join("\n"))
    },
    /** Prints items that come one after the other: each as a line of JSON, or as lines without titles. */
    rows: <Item>(items: ReadonlyArray<Item>, columns: ReadonlyArray<Column<Item>>): Effect.Effect<void> => {
      if (items.length === 0) return Effect.void
      const lines = isJson ? items.map((item) => safeJson(item)) : rowLines(items, columns, layout)
      return write(lines.join("\n"))
    },
    /** Tells the person something beside the result, on the standard error. */
    note: (text: string) => Effect.promise(() => stderr.write(`${text}\n`)),
  }
}

export class Output extends Context.Tag("@mailroom/cli/Output")<Output, ReturnType<typeof make>>() {
  static readonly layer = (isJson: boolean) =>
    Layer.effect(
      Output,
      Effect.map(Shell, (shell) => make(shell, isJson)),
    )
}
