/** Whether a mail is from whom it says (decisions §6). */
import type { Authentication } from "@mailroom/domain"
import { Context, type Effect } from "effect"
import type { Envelope } from "./MailSpool.js"

/**
 * SPF, DKIM, DMARC and ARC of one mail as it came. Never fails and never takes longer than two seconds: what could not
 * be found out until then is `temperror`. Interruptible.
 */
export class SenderAuthentication extends Context.Tag("@mailroom/SenderAuthentication")<
  SenderAuthentication,
  {
    readonly evaluate: (raw: Uint8Array, envelope: Envelope) => Effect.Effect<Authentication>
    /**
     * What `evaluate` would say at once of an unsigned mail by these authors, every address in From, because it said so
     * of the same sender a moment ago; else null.
     */
    readonly known: (authors: ReadonlyArray<string>, envelope: Envelope) => Authentication | null
  }
>() {}
