/** The trust of parsed mails: a corpus of honest and of deceiving ones (docs/specification/senders.md). */
import { describe, expect, it } from "@effect/vitest"
import { domainOf, normalizeAddress, trustOf } from "@mailroom/domain"
import { parseMail } from "../src/parsing/parseMail.js"
import { hostileMails } from "./support/trust/hostile.js"
import { honestMails } from "./support/trust/honest.js"
import { authenticationOf, type CorpusMail, rawOf, relationsOf } from "./support/trust/mails.js"

const trustIn = async (mail: CorpusMail) => {
  const { from, replyTo, headers, contentReasons } = await parseMail(rawOf(mail))
  const fromAddress = from?.address ?? ""
  return trustOf(authenticationOf(mail, domainOf(normalizeAddress(fromAddress))), relationsOf(mail), {
    fromAddress,
    fromName: from?.name ?? null,
    replyTo: replyTo.map(({ address }) => address),
    headers,
    contentReasons,
  })
}

describe("the trust of an honest mail", () => {
  it.each(honestMails)("$name", async (mail) => {
    expect(await trustIn(mail)).toEqual(mail.expected)
  })
})

describe("the trust of a mail that deceives", () => {
  it.each(hostileMails)("$name", async (mail) => {
    expect(await trustIn(mail)).toEqual(mail.expected)
  })
})
