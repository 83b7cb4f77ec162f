import { enhancedStatus, isPermanent, type RecipientReport, replyCode } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"

const report = (given: Partial<RecipientReport>): RecipientReport => ({
  addresses: ["ada@example.org"],
  outcome: "bounced",
  status: null,
  diagnostic: null,
  permanent: null,
  ...given,
})

const permanent = (status: string | null, diagnostic: string | null = null): boolean =>
  isPermanent(report({ status, diagnostic }))

describe("codes in answers", () => {
  it("RFC 3463: the enhanced code stands behind the reply code, in brackets or behind a #", () => {
    for (const [words, code] of [
      ["550 5.1.1 User unknown", "5.1.1"],
      ["550-5.1.10 User unknown", "5.1.10"],
      ["550 <ada@example.org> 5.2.2 full", "5.2.2"],
      ["sorry, no mailbox here by that name (#5.1.1)", "5.1.1"],
      ["<mx.example.org #4.4.7>", "4.4.7"],
      ["host said: 5.7.1 no", "5.7.1"],
    ] as const)
      expect(enhancedStatus(words), words).toBe(code)
  })

  it("versions, addresses and successes are none", () => {
    for (const words of ["ESMTP 5.5.2657.72", "from 4.2.2.1", "8.14.2", "250 2.1.5 OK", "no code"])
      expect(enhancedStatus(words), words).toBeNull()
  })

  it("RFC 5321 §4.2: the reply code stands first, or behind whoever heard it", () => {
    for (const [words, code] of [
      ["550 no", "550"],
      ["550-no", "550"],
      ["host mx.example.org[192.0.2.1] said: 552 full", "552"],
      ["Remote Server returned '550 no'", "550"],
      ["08:01: <-- 500 rejected", "500"],
    ] as const)
      expect(replyCode(words), words).toBe(code)
    for (const words of ["after 550 hours", "250 OK", ""]) expect(replyCode(words), words).toBeNull()
  })
})

describe("what a bounce means for the address", () => {
  it("only a bounce says anything of it", () => {
    for (const outcome of ["delivered", "delayed", "complained"] as const)
      expect(isPermanent(report({ outcome, status: "5.1.1", permanent: true }))).toBe(false)
  })

  it("whoever reports it knows best", () => {
    expect(isPermanent(report({ permanent: true, status: "4.2.2" }))).toBe(true)
    expect(isPermanent(report({ permanent: false, status: "5.1.1" }))).toBe(false)
  })

  it("RFC 3463: codes about the address and its mailbox are permanent, without any words", () => {
    for (const status of ["5.1.0", "5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1", "5.4.4"])
      expect(permanent(status), status).toBe(true)
  })

  it("codes that only say that something failed, or whom a filter gives too, are not", () => {
    for (const status of ["5.0.0", "5.2.0"]) expect(permanent(status), status).toBe(false)
  })

  it("codes about the sender, fullness, size, the way, the content and policies are not", () => {
    for (const status of [
      "5.1.7",
      "5.1.8",
      "5.1.9",
      "5.2.2",
      "5.2.3",
      "5.3.0",
      "5.3.4",
      "5.4.1",
      "5.4.6",
      "5.4.7",
    ])
      expect(permanent(status), status).toBe(false)
    for (const status of ["5.5.0", "5.6.0", "5.6.1", "5.7.0", "5.7.1", "5.7.26", null])
      expect(permanent(status), String(status)).toBe(false)
  })

  it("a transient code is never permanent, whatever is said", () => {
    expect(permanent("4.1.1", "user unknown")).toBe(false)
    expect(permanent(null, "450 <ada@example.org>: user unknown")).toBe(false)
    expect(permanent("5.1.1", "450 4.1.1 unverified address: user unknown")).toBe(false)
  })

  it("without an enhanced code or words that tell, the reply code does (RFC 5321 §4.2.3)", () => {
    for (const code of ["550", "551", "553"]) expect(permanent(null, `${code} no`), code).toBe(true)
    for (const code of ["552", "554", "500", "503"]) expect(permanent(null, `${code} no`), code).toBe(false)
  })

  it("words that the address is gone count, whatever the code", () => {
    for (const [status, words] of [
      [null, "Unknown user"],
      [null, "Sorry, no mailbox here by that name."],
      [null, "This user doesn't have a yahoo.com account (ada@yahoo.com)"],
      [null, "User ada (ada@example.org) not listed in Domino Directory"],
      [null, "The recipient name is not recognized"],
      [null, "500 (err.nosuchuser)"],
      ["5.5.0", "550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302)."],
      ["5.3.0", "553 5.3.0 <ada@example.org>... Unknown E-Mail Address"],
      ["5.7.1", "550 5.7.1 <ada@example.org>: Recipient address rejected: User unknown"],
      ["5.4.1", "550 5.4.1 Recipient address rejected: Access denied. AS(201806281)"],
      ["5.4.310", "550 5.4.310 DNS domain example.invalid does not exist"],
      ["5.2.1", "550 5.2.1 The email account that you tried to reach is disabled."],
      [null, "550 5.1.1 Adresse d au moins un destinataire invalide. OFR_416"],
      [null, "all relevant MX records point to non-existent hosts"],
      [null, "the address couldn't be found. Check for typos or unnecessary spaces and try again."],
      [null, "Benutzer unbekannt"],
      [null, "El usuario no existe"],
      [null, "Пользователь не найден"],
      [null, "送信先メールアドレスが見つかりませんでした"],
      [null, "这个用户不存在"],
    ] as const)
      expect(permanent(status, words), words).toBe(true)
  })

  it("words that it may work another time count, whatever the code", () => {
    for (const [status, words] of [
      ["5.1.1", "552 5.1.1 user over quota. (#5.1.1)"],
      ["5.1.1", "552 5.1.1 Boite du destinataire pleine. Recipient overquota."],
      ["5.0.0", "550 Mailbox full"],
      ["5.7.1", "550 5.7.1 Mailbox has exceeded its quota"],
      ["5.2.1", "450-5.2.1 The user you are trying to contact is receiving mail at a rate that"],
      ["5.2.0", "550 5.2.0 message size exceeds limit"],
      ["5.0.0", "retry timeout exceeded"],
      ["5.0.0", "delivery temporarily suspended: connection timed out"],
      [null, "550 Das Postfach ist voll"],
      [null, "550 почтовый ящик переполнен"],
    ] as const)
      expect(permanent(status, words), words).toBe(false)
  })

  it("words about the mail or about us count, whatever the code", () => {
    for (const [status, words] of [
      ["5.0.0", "550 Message rejected as spam"],
      ["5.1.0", "5.1.0 - Unknown address error 554-'5.7.1 blocked using zen.spamhaus.org'"],
      ["5.2.0", "550 rejected by DMARC policy"],
      ["5.1.8", "550 5.1.8 <me@acme.dev>: Sender address rejected: Domain not found"],
      ["5.1.1", "550 5.1.1 Sender address rejected: User unknown in virtual mailbox table"],
      [null, "550 Relaying denied"],
      [null, "550 IP blacklisted"],
      [null, "550 No unsolicited e-mail"],
      ["5.7.1", "550 5.7.1 Your IP address 192.0.2.1 is unknown to us, see our policy"],
    ] as const)
      expect(permanent(status, words), words).toBe(false)
  })
})
