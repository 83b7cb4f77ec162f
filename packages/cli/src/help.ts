/** The help of `@effect/cli`, made shorter: for a reader who wants to know which command or option to use. */

const STYLES = /\u001b\[[\d;]*m/g

export const withoutStyles = (text: string): string => text.replace(STYLES, "")

/** Paragraphs about the type of an option, which the name of the option has beside it. */
const TYPES = /^ *(?:A user-defined piece of text|A true or false value|An integer)\.\n\n/gm

/** A line of a list of commands: the usage of a command, padded to that of the longest, and its description. */
const ENTRY = /^ *- (.+?) {2,}(\S.*)$/

/** The words of a usage before its options and arguments. */
const nameIn = (usage: string): string => usage.split(/ (?=[-[<])/)[0] ?? ""

/**
 * The help of a command, such as `mailroom drafts`: its usage begins with the command, and a list of commands has their names and
 * descriptions. Any other text that the library prints, such as completions, stays as it is.
 */
export const shortHelp = (text: string, command: string): string => {
  if (!/^USAGE$/m.test(withoutStyles(text))) return text
  const lines = text.replace(TYPES, "").split("\n")
  const entries = lines.map((line) => ENTRY.exec(withoutStyles(line)))
  const names = entries.map((entry) => nameIn(entry?.[1] ?? ""))
  const width = Math.max(...names.map((name) => name.length))
  const shown = lines.flatMap((line, index) => {
    const entry = entries[index]
    if (entry) return [`  ${names[index]?.padEnd(width)}  ${entry[2]}`]
    const isBetween = line === "" && entries[index - 1] && entries[index + 1]
    return isBetween ? [] : [line.replace(/^\$ \S+/, `$ ${command}`).trimEnd()]
  })
  const more = width === 0 ? "" : `\n\n${command} <command> --help describes a command.`
  return `${shown.join("\n").trimEnd()}${more}`
}
