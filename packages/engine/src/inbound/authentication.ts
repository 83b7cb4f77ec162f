/** Sender authentication that needs no DNS lookup. */
import {
  type Authentication,
  domainOf,
  type Instant,
  normalizeAddress,
  type ParsedMail,
} from "@mailroom/domain"
import type { Envelope } from "../ports/MailSpool.js"

/** Whether a mailbox of this service, or the service itself, sent the mail. Such mail comes from no network address. */
export const isFromInside = ({ remoteAddress }: Envelope): boolean => remoteAddress === ""

/** The envelope of such mail. `platformDomain` is its HELO name. */
export const insideEnvelope = (
  from: string,
  to: ReadonlyArray<string>,
  platformDomain: string,
  receivedAt: Instant,
): Envelope => ({ from, to, remoteAddress: "", helo: platformDomain, tls: true, receivedAt })

/** The result for such mail, all of which the service composed: it wrote From itself, so all three checks pass. */
export const insideAuthentication = ({ from }: Pick<ParsedMail, "from">): Authentication => ({
  spf: "pass",
  dkim: "pass",
  dmarc: "pass",
  verifiedDomain: from === null ? null : domainOf(normalizeAddress(from.address)),
})

/** The result for a mail that could not be parsed. */
export const notEvaluated: Authentication = {
  spf: "temperror",
  dkim: "temperror",
  dmarc: "temperror",
  verifiedDomain: null,
}
