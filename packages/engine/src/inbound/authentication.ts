/** What is known of a mail's sender without asking anybody. */
import { type Authentication, domainOf, type Instant } from "@mailroom/domain"
import type { Envelope } from "../ports/MailSpool.js"

/** Mail from a mailbox here to another, or from the service itself, never was on a network. */
export const isFromInside = ({ remoteAddress }: Envelope): boolean => remoteAddress === ""

/** The envelope of such mail. `platformDomain` stands for the service, which handed it over to itself. */
export const insideEnvelope = (
  from: string,
  to: ReadonlyArray<string>,
  platformDomain: string,
  receivedAt: Instant,
): Envelope => ({ from, to, remoteAddress: "", helo: platformDomain, tls: true, receivedAt })

/** Its sender proved itself to the service, which signed the mail: as good as the three are. */
export const insideAuthentication = ({ from, helo }: Envelope): Authentication => ({
  spf: "pass",
  dkim: "pass",
  dmarc: "pass",
  verifiedDomain: from === "" ? helo : domainOf(from),
})

/** Of a mail that could not be looked at. */
export const notEvaluated: Authentication = {
  spf: "temperror",
  dkim: "temperror",
  dmarc: "temperror",
  verifiedDomain: null,
}
