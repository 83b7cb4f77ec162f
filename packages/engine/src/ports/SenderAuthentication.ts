/** Sender authentication: SPF, DKIM, DMARC and ARC (`spec: decisions.smtp.authentication`). */
import type { SenderResults } from "@mailroom/domain"
import { Context, type Effect } from "effect"
import type { Envelope } from "./MailSpool.js"

/**
 * `evaluate` never fails, is interruptible, and takes at most two seconds: results that are missing by then are
 * `temperror`.
 */
export class SenderAuthentication extends Context.Tag("@mailroom/SenderAuthentication")<
  SenderAuthentication,
  {
    readonly evaluate: (raw: Uint8Array, envelope: Envelope) => Effect.Effect<SenderResults>
    /**
     * The cached result of `evaluate` for an unsigned mail of the same sender, with these addresses in From; null when none
     * is cached. Does no lookup.
     */
    readonly known: (authors: ReadonlyArray<string>, envelope: Envelope) => SenderResults | null
  }
>() {}
