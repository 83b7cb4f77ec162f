/** What the readers of documents share: the text they collect, and why they give up. */
// Deep imports: a worker thread has a heap of its own, and all of the domain is most of it.
import type { UnreadableReason } from "@mailroom/domain"
import { ATTACHMENT_TEXT_MAX_LENGTH } from "@mailroom/domain/limits"

/** Thrown by a reader that cannot read its file. Any other error means that the file is damaged. */
export class Unreadable extends Error {
  constructor(readonly reason: UnreadableReason) {
    super(reason)
  }
}

/** Text and whether the file has more of it. */
export interface Collected {
  readonly text: string
  readonly truncated: boolean
}

/** Collects text up to `ATTACHMENT_TEXT_MAX_LENGTH` UTF-16 units, without spaces at the ends of lines and without more than one empty line in a row. */
export class TextCollector {
  private readonly lines: Array<string> = []
  private line: Array<string> = []
  private length = 0
  private isCut = false

  get isFull(): boolean {
    return this.isCut
  }

  add(text: string): void {
    const room = ATTACHMENT_TEXT_MAX_LENGTH - this.length
    if (text.length > room) this.isCut = true
    if (room <= 0 || text === "") return
    this.line.push(text.length > room ? text.slice(0, room) : text)
    this.length += Math.min(text.length, room)
  }

  endLine(): void {
    const line = this.line.join("").trimEnd()
    this.line = []
    if (line === "" && (this.lines.at(-1) ?? "") === "") return
    this.lines.push(line)
    this.length += 1
  }

  /** Begins a new line unless the last one is empty. */
  freshLine(): void {
    if (this.line.length > 0) this.endLine()
  }

  /** An empty line before what comes next. */
  gap(): void {
    this.freshLine()
    this.endLine()
  }

  finish(): Collected {
    this.freshLine()
    return cut(this.lines.join("\n").trim(), this.isCut)
  }
}

/** Text within the limit, without NUL and without halves of surrogate pairs. */
export const cut = (text: string, isCut = false): Collected => ({
  text: text.slice(0, ATTACHMENT_TEXT_MAX_LENGTH).replaceAll("\0", "").toWellFormed(),
  truncated: isCut || text.length > ATTACHMENT_TEXT_MAX_LENGTH,
})
