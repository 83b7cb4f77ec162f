/** Text of `format=flowed` (RFC 3676 §4): paragraphs that were sent in short lines, each as one line again. */

interface Line {
  /** how many `>` stand in front */
  readonly depth: number
  /** without them, and without the space that stuffing put there (§4.4) */
  readonly text: string
  readonly isFlowed: boolean
}

const lineOf = (line: string): Line => {
  let depth = 0
  while (line[depth] === ">") depth++
  const text = line.slice(line[depth] === " " ? depth + 1 : depth)
  // §4.3: the separator line of a signature ends with a space and is fixed all the same.
  return { depth, text, isFlowed: text.endsWith(" ") && text !== "-- " }
}

const written = (depth: number, text: string): string =>
  depth === 0 ? text : text === "" ? ">".repeat(depth) : `${">".repeat(depth)} ${text}`

/** Whether `next` belongs to the paragraph of `line`. */
const goesOn = (line: Line, next: Line | undefined): boolean =>
  line.isFlowed && next?.depth === line.depth && next.text !== "-- " && next.text !== ""

/**
 * Joins the lines of each paragraph. A paragraph ends with a fixed line, in front of a separator line, and where the
 * quote depth changes (§4.5), so a quote and its answer never become one line. An empty line ends it too, although §4.2
 * would join it: people leave a space at the end of their last line. A quote depth is written as `>>` and a space.
 * `isDelSp` removes the space at which a line was broken (§4.1).
 */
export const unflowed = (text: string, isDelSp: boolean): string => {
  const out: Array<string> = []
  let paragraph: Array<string> = []
  const lines = text.split(/\r?\n/).map(lineOf)
  for (const [at, line] of lines.entries()) {
    const isOpen = goesOn(line, lines[at + 1])
    paragraph.push(isOpen && isDelSp ? line.text.slice(0, -1) : line.text)
    if (isOpen) continue
    out.push(written(line.depth, paragraph.join("")))
    paragraph = []
  }
  return out.join("\n")
}
