/** Sender authentication: SPF, DKIM, DMARC and ARC (`spec: decisions.smtp.authentication`). */
import type { ParsedMail, SenderResults } from "@mailroom/domain"
import { Context, type Effect } from "effect"
import type { Envelope } from "./MailSpool.js"

/** A mail and what the parser read in its header. */
export interface EvaluatedMail {
  readonly raw: Uint8Array
  /** Every address in From, as the message shows them. DMARC is evaluated for these: a second reading of From could differ. */
  readonly authors: ReadonlyArray<string>
  /** whether it has DKIM signatures or ARC seals to verify */
  readonly isSigned: boolean
}

/** A mail that could not be parsed shows no author. Its signatures are verified. */
export const evaluatedMail = (raw: Uint8Array, { layout }: Pick<ParsedMail, "layout">): EvaluatedMail => ({
  raw,
  authors: layout?.authors.map(({ address }) => address) ?? [],
  isSigned: layout?.isSigned ?? true,
})

/**
 * `evaluate` never fails, is interruptible, and takes at most two seconds: results that are missing by then are
 * `temperror`.
 */
export class SenderAuthentication extends Context.Tag("@mailroom/SenderAuthentication")<
  SenderAuthentication,
  {
    readonly evaluate: (mail: EvaluatedMail, envelope: Envelope) => Effect.Effect<SenderResults>
    /**
     * The cached result of `evaluate` for an unsigned mail with the same authors and sender; null when none is cached, and
     * for a signed mail. Does no lookup.
     */
    readonly known: (mail: EvaluatedMail, envelope: Envelope) => SenderResults | null
  }
>() {}
