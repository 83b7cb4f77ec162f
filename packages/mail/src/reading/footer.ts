/** What trackers and mailing lists put below a text: why it was sent, where it is shown, how to get no more of it. */
import { isBlank, type Line } from "./lines.js"
import { folded } from "./phrases.js"

/** Lines that such a footer has at most, blank ones included. */
const MAX_LINES = 12
const MAX_LINE = 400

/** Begins a footer by itself: GitHub, GitLab, Bugzilla, Redmine, Launchpad, Google Groups, Jira. */
const begins =
  /^(?:you(?: are|'re) receiving this (?:\S+ )?because|you (?:have )?received this (?:bug )?(?:message|mail|e-?mail|notification) because|reply to this e-?mail directly|view it on (?:github|gitlab|bitbucket|codeberg|gitea|forgejo|sourcehut)\b|this message was sent by atlassian)/

/** Begins one where an address or a link says how. */
const unsubscribes = /^(?:to (?:unsubscribe|stop receiving)|unsubscribe)\b/
const reference = /https?:\/\/|[^\s<>@]@[^\s<>@]/

/** What goes on below: links, addresses, ids, and the words of those trackers. */
const goesOn =
  /https?:\/\/|[^\s<>@]@[^\s<>@]|^message id\b|^for (?:additional|more) |^more options|^you are (?:on|the|watching|receiving)\b|^\(v\d|^or, |^to (?:view|stop|unsubscribe|change|post)\b|^this e-?mail was sent\b|^unsubscribe\b|^triage notifications\b|^mute the thread\b/

const rule = /^[-_=—–]{1,80}$/

const beginsFooter = (line: string, next: string): boolean =>
  begins.test(line) || (unsubscribes.test(line) && (reference.test(line) || reference.test(next)))

/** Where the footer of a text begins that ends at `end`, or `end` when it has none. */
export const footerAt = (lines: ReadonlyArray<Line>, end: number): number => {
  const first = Math.max(0, end - MAX_LINES)
  const texts = lines.slice(first, end).map(({ text }) => folded(text.slice(0, MAX_LINE)))
  const start = texts.findIndex((text, at) => {
    if (!beginsFooter(text, texts[at + 1] ?? "")) return false
    return texts.slice(at + 1).every((below) => below === "" || begins.test(below) || goesOn.test(below))
  })
  if (start === -1) return end
  let at = first + start
  const above = lines[at - 1]
  if (above !== undefined && !isBlank(above)) {
    if (!rule.test(above.text.trim())) return end
    at -= 1
  }
  return at
}
