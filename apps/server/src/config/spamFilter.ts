/** Parses SPAM_FILTER: the spam filter that every mail is shown to (docs/operations.md, Spam). */
import type { SpamFilterChoice } from "@mailroom/node"
import { Option } from "effect"
import { publicUrl } from "./parsers.js"

export const SPAM_FILTER_ACCEPTED = "none or rspamd:http://host:port, the address of an rspamd normal worker"

export const spamFilterChoice = (text: string): Option.Option<SpamFilterChoice> => {
  if (text === "none") return Option.some({ kind: "none" })
  const [, rest] = /^rspamd:(.+)$/.exec(text) ?? []
  return rest === undefined
    ? Option.none()
    : Option.map(publicUrl(rest), (url) => ({ kind: "rspamd" as const, url }))
}
