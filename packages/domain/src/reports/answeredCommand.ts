/** Finds in a bounce's diagnostic text the SMTP command that the remote server refused. */

/** `connect` includes the greeting, EHLO and STARTTLS; `data` is DATA, or the end of the mail. */
export type AnsweredCommand = "connect" | "mail" | "rcpt" | "data"

const commands: ReadonlyArray<{ readonly command: AnsweredCommand; readonly pattern: RegExp }> = [
  {
    command: "connect",
    pattern: /^(?:HELO|EHLO|LHLO|STARTTLS|AUTH|initial (?:connection|server greeting))/i,
  },
  { command: "mail", pattern: /^MAIL/i },
  { command: "rcpt", pattern: /^RCPT/i },
  { command: "data", pattern: /^(?:DATA|BDAT|end of data|sending data)/i },
]

const step =
  "(?:HELO|EHLO|LHLO|STARTTLS|AUTH|MAIL|RCPT|DATA|BDAT|end of data|sending data|initial connection)"

/** Postfix: "(in reply to end of DATA command)"; Exim: "after RCPT TO:<…>"; hMailServer: "sent: MAIL FROM:<…>". */
const named = new RegExp(
  `\\b(?:in reply to|from remote mail server after|sent:|response to)\\s(?:the )?(?:pipelined )?(${step}\\b)`,
  "i",
)

/** Courier, Sendmail: ">>> MAIL FROM:<…> <<< 550 …", the command just before the answer that refuses it. */
const shown = new RegExp(`(?:>>>|-->) ?(${step}\\b)(?:(?!>>>|-->).){0,400}(?:<<<|<--) ?[45]\\d\\d`, "i")

/** qmail, Postfix: the step in a sentence. */
const described: ReadonlyArray<{ readonly command: AnsweredCommand; readonly pattern: RegExp }> = [
  { command: "connect", pattern: /\bmy name was rejected\b|\bgreeting failed\b|\brefused to talk to me\b/i },
  { command: "mail", pattern: /\bconnected to \S{1,255} but sender was rejected\b/i },
  { command: "rcpt", pattern: /\bdoes not like recipient\b/i },
  { command: "data", pattern: /\bfailed after I sent the message\b/i },
]

/** The command that was answered; null when the text does not say. */
export const answeredCommand = (words: string): AnsweredCommand | null => {
  const name = (named.exec(words) ?? shown.exec(words))?.[1]
  const all = name === undefined ? described : commands
  return all.find(({ pattern }) => pattern.test(name ?? words))?.command ?? null
}

/** A diagnostic in the format of Postfix: the reply and the command that it answers. */
export const withCommand = (answer: string, command: string): string =>
  `${answer} (in reply to ${command} command)`
