/** The DNS records of a custom domain, and how what DNS answers is judged. */
import { type DnsAnswers, dnsRecords, judgeRecords, type RecordState, viewDomain } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { domain } from "./support/records.js"

const PLATFORM = "mailroom.dev"
const nothing: DnsAnswers = { mx: [], spf: [], dkim: [], nextDkim: [], dmarc: [] }

const judge = (answers: Partial<DnsAnswers>) => judgeRecords(domain(), { ...nothing, ...answers }, PLATFORM)

const ours = { exchange: "mx.mailroom.dev", priority: 10 }
const other = (priority: number) => ({ exchange: "mx.elsewhere.dev", priority })

describe("the records that an owner is told to set", () => {
  it("decisions.domain.records: an MX, an SPF and a DMARC record, and one for the domain's own DKIM key", () => {
    expect(dnsRecords(domain({ mxState: "VALID", dkimState: "INVALID" }), PLATFORM)).toEqual({
      mx: { type: "MX", host: "acme.dev", value: "mx.mailroom.dev", priority: 10, state: "VALID" },
      spf: { type: "TXT", host: "acme.dev", value: "v=spf1 include:spf.mailroom.dev ~all", state: "MISSING" },
      dkim: [
        {
          type: "TXT",
          host: "mr0a1b2c3d._domainkey.acme.dev",
          value: "v=DKIM1; k=rsa; p=MIIBIjANBgkq",
          state: "INVALID",
        },
      ],
      dmarc: { type: "TXT", host: "_dmarc.acme.dev", value: "v=DMARC1; p=none", state: "MISSING" },
    })
  })

  it("decisions/0015: are VALID when they are set as told", () => {
    const { mx, spf, dkim, dmarc } = dnsRecords(domain(), PLATFORM)
    const set = judge({
      mx: [{ exchange: mx.value, priority: mx.priority ?? 0 }],
      spf: [spf.value],
      dkim: dkim.map(({ value }) => value),
      dmarc: [dmarc.value],
    })
    expect(set).toEqual({ mxState: "VALID", spfState: "VALID", dkimState: "VALID", dmarcState: "VALID" })
  })

  it("decisions/0015: are MISSING where DNS has nothing", () => {
    expect(judge({})).toEqual({
      mxState: "MISSING",
      spfState: "MISSING",
      dkimState: "MISSING",
      dmarcState: "MISSING",
    })
  })

  it("decisions.domain.fields: a domain has exactly the fields decided", () => {
    expect(viewDomain(domain({ status: "VERIFIED", mxState: "VALID", spfState: "INVALID" }))).toEqual({
      id: domain().id,
      domain: "acme.dev",
      status: "VERIFIED",
      mxVerified: true,
      spfVerified: false,
      dkimVerified: false,
      dmarcVerified: false,
      createdAt: "2026-03-01T09:30:00.000Z",
      updatedAt: "2026-03-01T09:30:00.000Z",
    })
  })
})

describe("MX", () => {
  const cases: ReadonlyArray<readonly [rule: string, records: DnsAnswers["mx"], state: RecordState]> = [
    ["ours alone will do, whatever its priority", [{ ...ours, priority: 0 }], "VALID"],
    ["names have no case", [{ ...ours, exchange: "MX.Mailroom.DEV" }], "VALID"],
    ["names may end with the dot of the root", [{ ...ours, exchange: "mx.mailroom.dev." }], "VALID"],
    ["worse ones beside ours are fine", [ours, other(20), other(30)], "VALID"],
    ["a better one beside ours takes the mail", [ours, other(5)], "INVALID"],
    ["an equal one takes half of it (RFC 5321 §5.1)", [ours, other(10)], "INVALID"],
    ["the best of several of ours counts", [{ ...ours, priority: 30 }, ours, other(20)], "VALID"],
    ["others alone are not ours", [other(10)], "INVALID"],
    ["a null MX takes no mail (RFC 7505)", [{ exchange: "", priority: 0 }], "INVALID"],
    ["a name under ours is not ours", [{ ...ours, exchange: "a.mx.mailroom.dev" }], "INVALID"],
  ]
  for (const [rule, mx, state] of cases)
    it(`decisions/0015: ${rule}: ${state}`, () => {
      expect(judge({ mx }).mxState).toBe(state)
    })
})

describe("SPF (RFC 7208)", () => {
  const include = "include:spf.mailroom.dev"
  const cases: ReadonlyArray<readonly [rule: string, records: ReadonlyArray<string>, state: RecordState]> = [
    ["ours among others", [`v=spf1 ip4:192.0.2.0/24 ${include} include:x.dev mx -all`], "VALID"],
    ["ours without all", [`v=spf1 ${include}`], "VALID"],
    ["ours with a plus, in another case, with a dot", ["V=SPF1 +Include:SPF.Mailroom.dev. ?all"], "VALID"],
    ["several spaces between terms", [`v=spf1   ${include}  ~all `], "VALID"],
    ["modifiers, unknown ones too", [`v=spf1 ${include} exp=e.x.dev ours=1 -all`], "VALID"],
    ["other texts at the name", ["google-site-verification=abc", `v=spf1 ${include} ~all`], "VALID"],
    ["only other texts at the name", ["google-site-verification=abc", "v=spf10 -all", "spf1"], "MISSING"],
    ["a record without ours", ["v=spf1 include:x.dev -all"], "INVALID"],
    ["a record with a longer name than ours", [`v=spf1 ${include}.x.dev -all`], "INVALID"],
    ["ours behind all, where nobody looks (§5.1)", [`v=spf1 mx -all ${include}`], "INVALID"],
    ["ours as no pass", [`v=spf1 -${include} ~all`], "INVALID"],
    ["two records (§4.5)", [`v=spf1 ${include} ~all`, "v=spf1 -all"], "INVALID"],
    ["a mechanism that is none (§4.6)", [`v=spf1 ipv4:192.0.2.1 ${include} ~all`], "INVALID"],
    ["an empty record", ["v=spf1"], "INVALID"],
  ]
  for (const [rule, spf, state] of cases)
    it(`decisions/0015: ${rule}: ${state}`, () => {
      expect(judge({ spf }).spfState).toBe(state)
    })
})

describe("DKIM (RFC 6376)", () => {
  const cases: ReadonlyArray<readonly [rule: string, records: ReadonlyArray<string>, state: RecordState]> = [
    ["the key alone", ["p=MIIBIjANBgkq"], "VALID"],
    ["in another order", ["k=rsa; p=MIIBIjANBgkq; v=DKIM1;"], "VALID"],
    ["with spaces, in the key too", [" v = DKIM1 ;k=rsa;  p = MIIB IjAN\tBgkq ;"], "VALID"],
    ["with tags that we did not ask for", ["v=DKIM1; t=s; n=mailroom; p=MIIBIjANBgkq"], "VALID"],
    ["another claim's key", ["v=DKIM1; k=rsa; p=MIIBIjANBgkr"], "INVALID"],
    ["half of the key", ["v=DKIM1; k=rsa; p=MIIBIj"], "INVALID"],
    ["the key in another case", ["v=DKIM1; k=rsa; p=miibijanbgkq"], "INVALID"],
    ["a revoked key (§3.6.1)", ["v=DKIM1; k=rsa; p="], "INVALID"],
    ["another type of key", ["v=DKIM1; k=ed25519; p=MIIBIjANBgkq"], "INVALID"],
    ["another version", ["v=DKIM2; p=MIIBIjANBgkq"], "INVALID"],
    ["semicolons that a form has escaped", ["v=DKIM1\\; k=rsa\\; p=MIIBIjANBgkq"], "INVALID"],
    ["a tag that comes twice (§3.2)", ["p=MIIBIjANBgkq; p=MIIBIjANBgkq"], "INVALID"],
    ["two records (§3.6.2.2)", ["p=MIIBIjANBgkq", "p=other"], "INVALID"],
    ["a wildcard's text", ["v=spf1 -all"], "MISSING"],
  ]
  for (const [rule, dkim, state] of cases)
    it(`decisions/0015: ${rule}: ${state}`, () => {
      expect(judge({ dkim }).dkimState).toBe(state)
    })
})

describe("DMARC (RFC 7489)", () => {
  const cases: ReadonlyArray<readonly [rule: string, records: ReadonlyArray<string>, state: RecordState]> = [
    ["any policy", ["v=DMARC1; p=reject; rua=mailto:dmarc@acme.dev"], "VALID"],
    ["a policy in another case", ["v=DMARC1;p=Quarantine"], "VALID"],
    ["other texts beside it", ["v=spf1 -all", "v=DMARC1; p=none"], "VALID"],
    ["no policy", ["v=DMARC1; rua=mailto:dmarc@acme.dev"], "INVALID"],
    ["a policy that is none", ["v=DMARC1; p=allow"], "INVALID"],
    ["two records (§6.6.3)", ["v=DMARC1; p=none", "v=DMARC1; p=reject"], "INVALID"],
    ["the version not first (§6.3)", ["p=none; v=DMARC1"], "MISSING"],
    ["the version in another case (§6.3)", ["v=dmarc1; p=none"], "MISSING"],
    ["another version", ["v=DMARC12; p=none"], "MISSING"],
  ]
  for (const [rule, dmarc, state] of cases)
    it(`decisions/0015: ${rule}: ${state}`, () => {
      expect(judge({ dmarc }).dmarcState).toBe(state)
    })
})
