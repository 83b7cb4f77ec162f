/** Domains that cannot be written to: reserved test domains and disposable addresses (spec: decisions.send.recipient). */
import { domainOf } from "../mailboxes/address.js"

const under = (domain: string, parents: Iterable<string>): boolean => {
  for (const parent of parents) if (domain === parent || domain.endsWith(`.${parent}`)) return true
  return false
}

/** RFC 2606 and RFC 6761: `example.com|net|org` themselves, and everything under the reserved top-level names. */
const testNames = ["test", "example", "invalid", "localhost"]
const exampleDomains: ReadonlySet<string> = new Set(["example.com", "example.net", "example.org"])

export const isTestDomain = (address: string): boolean => {
  const domain = domainOf(address)
  return exampleDomains.has(domain) || under(domain, testNames)
}

const disposable: ReadonlySet<string> = new Set(
  (
    "10minutemail.com 10minutemail.net 20minutemail.com 33mail.com anonbox.net burnermail.io byom.de discard.email " +
    "discardmail.com dispostable.com dropmail.me emailondeck.com emailtemporanea.com fakeinbox.com fakemailgenerator.com " +
    "getairmail.com getnada.com guerrillamail.biz guerrillamail.com guerrillamail.de guerrillamail.net guerrillamail.org " +
    "guerrillamailblock.com harakirimail.com inboxbear.com inboxkitten.com incognitomail.org jetable.org mail-temp.com " +
    "mail.tm mailcatch.com maildrop.cc mailexpire.com mailinator.com mailinator.net mailinator2.com mailnesia.com " +
    "mailnull.com mailsac.com mailtothis.com meltmail.com mintemail.com moakt.com mohmal.com mytemp.email mytrashmail.com " +
    "nada.email nowmymail.com one-time.email sharklasers.com spam4.me spamavert.com spambog.com spambox.us spamex.com " +
    "spamfree24.org spamgourmet.com temp-mail.io temp-mail.org tempail.com tempemail.co tempinbox.com tempmail.dev " +
    "tempmail.plus tempmailaddress.com tempmailo.com tempr.email throwawaymail.com tmail.ws tmpmail.net tmpmail.org " +
    "trash-mail.com trashmail.com trashmail.de trashmail.me trashmail.net trbvm.com wegwerfmail.de wegwerfmail.net " +
    "yopmail.com yopmail.fr yopmail.net zetmail.com"
  ).split(" "),
)

export const isDisposableDomain = (address: string): boolean => {
  const labels = domainOf(address).split(".")
  return labels.some((_, index) => disposable.has(labels.slice(index).join(".")))
}
