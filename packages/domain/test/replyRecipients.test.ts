import { replyRecipients, type Answered, type Audience, isEmailAddress, withoutTag } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { admitted, drawn, refusedAs } from "./support/records.js"

const own = "agent@acme.mailroom.localhost"

const arrived = (fields: Partial<Answered> = {}): Answered => ({
  direction: "INBOUND",
  fromAddress: "ada@elsewhere.org",
  replyTo: [],
  toAddresses: [own],
  ccAddresses: [],
  ...fields,
})

const sent = (fields: Partial<Answered> = {}): Answered =>
  arrived({ direction: "OUTBOUND", fromAddress: own, toAddresses: ["bob@elsewhere.org"], ...fields })

const answer = (answered: Answered, audience: Audience) => admitted(replyRecipients(answered, own, audience))
const reply = (answered: Answered) => answer(answered, "sender")
const replyAll = (answered: Answered) => answer(answered, "everybody")

describe("a reply to a mail that arrived", () => {
  it("decisions.messages.reply: goes to whom it is from, and to nobody else", () => {
    const mail = arrived({ toAddresses: [own, "bob@elsewhere.org"], ccAddresses: ["carl@elsewhere.org"] })
    expect(reply(mail)).toEqual({ to: ["ada@elsewhere.org"], cc: [] })
  })

  it("RFC 5322 §3.6.2: goes to the addresses of its Reply-To, all of them, if it has one", () => {
    const mail = arrived({ replyTo: ["desk@elsewhere.org", "log@elsewhere.org"] })
    expect(reply(mail).to).toEqual(["desk@elsewhere.org", "log@elsewhere.org"])
  })

  it("decisions.messages.reply: leaves out what is no address; a Reply-To without one is none", () => {
    expect(reply(arrived({ replyTo: ["undisclosed", "desk@elsewhere.org", "a@b@c"] })).to).toEqual([
      "desk@elsewhere.org",
    ])
    expect(reply(arrived({ replyTo: ["undisclosed"] })).to).toEqual(["ada@elsewhere.org"])
  })

  for (const fromAddress of ["", "mailer-daemon", "ada@[192.0.2.1]"])
    it(`decisions.messages.reply: fails when it is from ${JSON.stringify(fromAddress)} and asks for no other answer`, () => {
      for (const audience of ["sender", "everybody"] as const)
        expect(refusedAs(replyRecipients(arrived({ fromAddress }), own, audience))).toBe("NobodyToAnswer")
      expect(reply(arrived({ fromAddress, replyTo: ["desk@elsewhere.org"] })).to).toEqual([
        "desk@elsewhere.org",
      ])
    })

  it("decisions.values.addresses: addresses are compared lower-case and by their A-labels", () => {
    const mail = arrived({ replyTo: ["Ada@Bücher.org", "ada@xn--bcher-kva.org", "ADA@bücher.org"] })
    expect(reply(mail).to).toEqual(["ada@xn--bcher-kva.org"])
  })
})

describe("a reply to all of a mail that arrived", () => {
  it("decisions.messages.reply-all: goes to whom a reply goes and the other To, with a copy to its Cc", () => {
    const mail = arrived({
      replyTo: ["desk@elsewhere.org"],
      toAddresses: ["bob@elsewhere.org", own],
      ccAddresses: ["carl@elsewhere.org", "dora@elsewhere.org"],
    })
    expect(replyAll(mail)).toEqual({
      to: ["desk@elsewhere.org", "bob@elsewhere.org"],
      cc: ["carl@elsewhere.org", "dora@elsewhere.org"],
    })
  })

  it("decisions.messages.reply-all: leaves out the mailbox itself, whatever its case and its tag", () => {
    const selves = ["Agent@Acme.mailroom.localhost", "agent+shop@acme.mailroom.localhost"]
    const mail = arrived({ toAddresses: ["bob@elsewhere.org", ...selves], ccAddresses: selves })
    expect(replyAll(mail)).toEqual({ to: ["ada@elsewhere.org", "bob@elsewhere.org"], cc: [] })
  })

  it("decisions.messages.reply-all: names everybody once, in To rather than in Cc", () => {
    const mail = arrived({
      toAddresses: ["Ada@elsewhere.org", "bob@elsewhere.org", own],
      ccAddresses: ["BOB@elsewhere.org", "carl@elsewhere.org", "carl@Elsewhere.org"],
    })
    expect(replyAll(mail)).toEqual({
      to: ["ada@elsewhere.org", "bob@elsewhere.org"],
      cc: ["carl@elsewhere.org"],
    })
  })

  it("decisions.messages.reply: another account's tag is another address", () => {
    const mail = arrived({ toAddresses: ["bob+x@elsewhere.org", "bob@elsewhere.org"] })
    expect(replyAll(mail).to).toEqual(["ada@elsewhere.org", "bob+x@elsewhere.org", "bob@elsewhere.org"])
  })

  it("decisions.messages.reply-all: of what the mailbox sent itself goes to the others it named, in To if only Cc is left", () => {
    expect(replyAll(arrived({ fromAddress: own, toAddresses: [own, "bob@elsewhere.org"] }))).toEqual({
      to: ["bob@elsewhere.org"],
      cc: [],
    })
    expect(replyAll(arrived({ fromAddress: own, ccAddresses: ["carl@elsewhere.org"] }))).toEqual({
      to: ["carl@elsewhere.org"],
      cc: [],
    })
  })
})

describe("an answer to a mail of our own", () => {
  const mail = sent({
    toAddresses: ["bob@elsewhere.org", "carl@elsewhere.org"],
    ccAddresses: ["dora@elsewhere.org"],
  })

  it("decisions.messages.reply: goes to those it went to", () => {
    expect(reply(mail)).toEqual({ to: ["bob@elsewhere.org", "carl@elsewhere.org"], cc: [] })
  })

  it("decisions.messages.reply-all: to all goes to its To and its Cc", () => {
    expect(replyAll(mail)).toEqual({
      to: ["bob@elsewhere.org", "carl@elsewhere.org"],
      cc: ["dora@elsewhere.org"],
    })
  })

  it("decisions.messages.reply: leaves out the mailbox that copied itself", () => {
    expect(reply(sent({ toAddresses: [own, "bob@elsewhere.org"] })).to).toEqual(["bob@elsewhere.org"])
  })
})

describe("an answer to a message to oneself", () => {
  for (const audience of ["sender", "everybody"] as const)
    it(`decisions.messages.reply: goes to oneself (${audience})`, () => {
      const tagged = ["agent+note@acme.mailroom.localhost"]
      expect(answer(sent({ toAddresses: tagged }), audience)).toEqual({ to: [own], cc: [] })
      expect(answer(arrived({ fromAddress: own, toAddresses: tagged }), audience)).toEqual({
        to: [own],
        cc: [],
      })
    })
})

describe("whatever a message names", () => {
  const address = FastCheck.constantFrom(
    own,
    "AGENT@acme.mailroom.localhost",
    "agent+tag@acme.mailroom.localhost",
    "Agent+A+B@ACME.mailroom.localhost",
    "agent@other.mailroom.localhost",
    "ada@elsewhere.org",
    "Ada@Elsewhere.org",
    "bob@bücher.org",
    "bob@xn--bcher-kva.org",
    "carl+x@elsewhere.org",
    "dora@elsewhere.org",
    "",
    "nobody",
    "undisclosed-recipients:;",
    '"quoted name"@elsewhere.org',
    " eve@elsewhere.org ",
  )
  const list = FastCheck.array(address, { maxLength: 6 })
  const message = FastCheck.record({
    direction: FastCheck.constantFrom("INBOUND" as const, "OUTBOUND" as const),
    fromAddress: address,
    replyTo: list,
    toAddresses: list,
    ccAddresses: list,
  })
  const audience = FastCheck.constantFrom("sender" as const, "everybody" as const)
  const key = (one: string) => one.trim().toLowerCase().replace("bücher", "xn--bcher-kva")

  it.prop(
    "decisions.messages.reply: an answer has somebody to go to, names them once, and the mailbox itself only when alone",
    [message, audience],
    ([answered, who]) => {
      const outcome = replyRecipients(answered, own, who)
      if (outcome._tag === "Left") {
        const { direction, replyTo, fromAddress, toAddresses } = answered
        const asked = direction === "OUTBOUND" ? toAddresses : [...replyTo, fromAddress]
        expect(asked.filter((one) => isEmailAddress(one.trim()))).toEqual([])
        return
      }
      const { to, cc } = outcome.right
      const all = [...to, ...cc]
      expect(to.length).toBeGreaterThan(0)
      expect(new Set(all).size).toBe(all.length)
      for (const one of all) {
        expect(isEmailAddress(one)).toBe(true)
        expect(one).toBe(key(one))
      }
      if (all.length > 1) expect(all.map(withoutTag)).not.toContain(own)
      else expect([own, ...Object.values(answered).flat().map(key)]).toContain(all[0])
    },
    { fastCheck: { ...drawn.fastCheck, numRuns: 5000 } },
  )

  it.prop(
    "decisions.messages.reply-all: a reply to all leaves nobody out that it could reach, and adds nobody",
    [message],
    ([answered]) => {
      const outcome = replyRecipients(answered, own, "everybody")
      if (outcome._tag === "Left") return
      const { direction, replyTo, fromAddress, toAddresses, ccAddresses } = answered
      const asked = replyTo.some((one) => isEmailAddress(one.trim())) ? replyTo : [fromAddress]
      const named = [...(direction === "OUTBOUND" ? [] : asked), ...toAddresses, ...ccAddresses]
        .filter((one) => isEmailAddress(one.trim()))
        .map(key)
        .filter((one) => withoutTag(one) !== own)
      const reached = [...outcome.right.to, ...outcome.right.cc]
      expect(new Set(reached)).toEqual(new Set(named.length === 0 ? [own] : named))
    },
    { fastCheck: { ...drawn.fastCheck, numRuns: 5000 } },
  )
})
