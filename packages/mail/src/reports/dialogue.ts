/**
 * Reads the SMTP dialogue in the text of a report, and pairs commands with replies. Replies to pipelined commands come in
 * the order of the commands (RFC 2920 §3.2). When the numbers of commands and replies differ, none are paired.
 */
import { ADDRESS, addressIn } from "./reportParts.js"

export interface Answer {
  /** the number of its first line */
  readonly line: number
  readonly code: string
  /** all of its lines, joined by spaces */
  readonly words: string
}

export interface Exchange {
  /** as SMTP writes it, such as `RCPT TO` */
  readonly command: string
  /** the address of RCPT TO; null for other commands, and when it cannot be read */
  readonly recipient: string | null
  /** null when none is shown, or when it is unclear which reply answers this command */
  readonly answer: Answer | null
  /** whether the reply is 4xx or 5xx */
  readonly isRefused: boolean
}

interface Command {
  readonly command: string
  readonly recipient: string | null
}

/** What transcripts write before a line: a date or "Sent", and an arrow. Servers differ in what its direction means. */
const lead = "^\\s*(?:(?:[\\w:.,/-]{1,40} ){0,6}(?<arrow>-->|<--|>>>|<<<)\\s*)?"
const commandLine = new RegExp(
  `${lead}(?<verb>EHLO|HELO|LHLO|STARTTLS|MAIL FROM|RCPT TO|DATA|BDAT|RSET|QUIT)(?:[\\s:]|$)(?:\\s*<?(?<address>${ADDRESS})>?)?`,
  "i",
)
const answerLine = new RegExp(`${lead}(?<code>[2345]\\d\\d)(?<more>-?)(?: |$|\\S)`)

const WORDS_MAX_LENGTH = 2000

/** The first reply to DATA (RFC 5321 §4.1.1.4); the second one follows the mail. */
const GO_AHEAD = "354"

const exchangesOf = (
  commands: ReadonlyArray<Command>,
  answers: ReadonlyArray<Answer>,
): ReadonlyArray<Exchange> => {
  const ends = answers.some(({ code }) => code === GO_AHEAD) ? [{ command: "DATA", recipient: null }] : []
  const sent = answers.length > commands.length ? [...commands, ...ends] : commands
  const isMatched = sent.length === answers.length
  return sent.map(({ command, recipient }, at) => {
    const answer = isMatched ? (answers[at] ?? null) : null
    return { command, recipient, answer, isRefused: /^[45]/.test(answer?.code ?? "") }
  })
}

/** The commands with their replies, in order. When a command has an arrow, lines without one are ignored. */
export const dialogueIn = (lines: ReadonlyArray<string>): ReadonlyArray<Exchange> => {
  const read = lines.map((line) => ({
    command: commandLine.exec(line)?.groups,
    answer: answerLine.exec(line)?.groups,
  }))
  if (read.every(({ command }) => command === undefined)) return []
  const hasArrows = read.some(({ command }) => command?.["arrow"] !== undefined)
  const exchanges: Array<Exchange> = []
  let commands: Array<Command> = []
  let answers: Array<Answer> = []
  /** the code of a multiline reply (`550-`, RFC 5321 §4.2.1) that is not complete */
  let continued = ""
  let isOpen = false
  const flush = () => {
    exchanges.push(...exchangesOf(commands, answers))
    commands = []
    answers = []
  }
  const append = (text: string) => {
    const last = answers.pop()
    if (last !== undefined)
      answers.push({ ...last, words: `${last.words} ${text}`.slice(0, WORDS_MAX_LENGTH) })
  }
  for (const [line, { command, answer }] of read.entries()) {
    const text = lines[line]?.trim() ?? ""
    const groups = command ?? answer
    if (groups === undefined && isOpen && text !== "") append(text)
    if (groups === undefined || (hasArrows && groups["arrow"] === undefined)) {
      isOpen &&= groups === undefined && text !== ""
      continue
    }
    isOpen = command === undefined
    if (command !== undefined) {
      if (answers.length > 0) flush()
      const verb = (command["verb"] ?? "").toUpperCase()
      commands.push({
        command: verb,
        recipient: verb === "RCPT TO" ? addressIn(command["address"] ?? "") : null,
      })
    } else if (answer !== undefined) {
      const code = answer["code"] ?? ""
      if (continued === code) append(text)
      else if (commands.length > 0) answers.push({ line, code, words: text })
      continued = answer["more"] === "-" ? code : ""
    }
  }
  flush()
  return exchanges
}
