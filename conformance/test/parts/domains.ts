/** Custom domains. */
import { Effect } from "effect"
import { expect } from "vitest"
import { type Agent, agent } from "../../src/agents.js"
import { fieldsAt, textAt, valueAt } from "../../src/Answer.js"
import { claim, publish, verifiedDomain } from "../../src/domains.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { Virtual } from "../../src/World.js"
import { ABSENT, anyId, anyTime, expectAnswer, expectError, expectInvalid } from "../expectations.js"

const pending = {
  id: anyId,
  domain: "acme.dev",
  status: "PENDING_VERIFICATION",
  mxVerified: false,
  spfVerified: false,
  dkimVerified: false,
  dmarcVerified: false,
  createdAt: anyTime,
  updatedAt: anyTime,
}

const verified = {
  ...pending,
  status: "VERIFIED",
  mxVerified: true,
  spfVerified: true,
  dkimVerified: true,
  dmarcVerified: true,
}

/** The records of acme.dev, all in one state. */
const records = (state: string) => ({
  mx: { type: "MX", host: "acme.dev", value: "mx.mailroom.localhost", priority: 10, state },
  spf: { type: "TXT", host: "acme.dev", value: "v=spf1 include:spf.mailroom.localhost ~all", state },
  dkim: [
    {
      type: "TXT",
      host: expect.stringMatching(/^[a-z0-9]+\._domainkey\.acme\.dev$/),
      value: expect.stringMatching(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/]+=*$/),
      state,
    },
  ],
  dmarc: { type: "TXT", host: "_dmarc.acme.dev", value: "v=DMARC1; p=none", state },
})

/** Checks that ids of other accounts answer like ids that do not exist. */
const expectNobodys = ({ call }: Agent, method: string, foreign: string, rest = "") =>
  Effect.gen(function* () {
    for (const id of [ABSENT, foreign, "acme.dev"])
      expectError(yield* call(`${method} /v1/domains/${id}${rest}`), 404, "DOMAIN_NOT_FOUND")
  })

export const domains: Part = [
  row("decisions.names.domains", "the list is domains, one is domain, beside its dnsRecords", function* () {
    const owner = yield* agent("active")
    const created = yield* claim(owner, "acme.dev")
    const read = yield* owner.call(`GET /v1/domains/${textAt(created.json, "domain.id")}`)
    expect(fieldsAt((yield* owner.call("GET /v1/domains")).json, "")).toEqual(["domains"])
    for (const { json } of [created, read]) expect(fieldsAt(json, "")).toEqual(["dnsRecords", "domain"])
  }),
  row("decisions.domain.fields", "these, and no other, in the list and alone", function* () {
    const owner = yield* agent("active")
    const created = yield* claim(owner, "acme.dev")
    const listed = yield* owner.call("GET /v1/domains")
    for (const one of [valueAt(created.json, "domain"), valueAt(listed.json, "domains.0")])
      expect(one).toEqual(pending)
  }),
  row("decisions.domains.rotate", "it stands behind the one that signs, until DNS has it", function* () {
    const owner = yield* agent("active")
    const created = yield* claim(owner, "acme.dev")
    const rotate = owner.call(`POST /v1/domains/${textAt(created.json, "domain.id")}/rotate-dkim`)
    const { json, status } = yield* rotate
    expect(status).toBe(200)
    expect(valueAt(json, "dnsRecords.dkim.0")).toEqual(valueAt(created.json, "dnsRecords.dkim.0"))
    expect(valueAt(json, "dnsRecords.dkim")).toHaveLength(2)
    expect((yield* rotate).json).toEqual(json)
  }),
  virtual("decisions.domain.records", "MISSING, then INVALID, then VALID", function* () {
    const { zones } = yield* Virtual
    const owner = yield* agent("active")
    const created = yield* claim(owner, "acme.dev")
    const verify = owner.call(`POST /v1/domains/${textAt(created.json, "domain.id")}/verify`)
    const dnsRecords = Effect.map(verify, ({ json }) => valueAt(json, "dnsRecords"))
    expect(yield* dnsRecords).toEqual(records("MISSING"))
    yield* zones.put("acme.dev", {
      mx: [{ exchange: "mx.elsewhere.dev", priority: 1 }],
      txt: ["v=spf1 -all"],
    })
    yield* zones.put(textAt(created.json, "dnsRecords.dkim.0.host"), { txt: ["v=DKIM1; p="] })
    expect(yield* dnsRecords).toMatchObject({
      mx: { state: "INVALID" },
      spf: { state: "INVALID" },
      dkim: [{ state: "INVALID" }],
    })
    yield* publish(created)
    expect(yield* dnsRecords).toEqual(records("VALID"))
  }),

  row("decisions.domains.list", "the account's, oldest first, and no other's", function* () {
    const owner = yield* agent("active")
    yield* claim(yield* agent("active"), "acme.dev")
    expectAnswer(yield* owner.call("GET /v1/domains"), 200, { domains: [] })
    yield* claim(owner, "acme.dev")
    expectAnswer(yield* owner.call("GET /v1/domains"), 200, { domains: [pending] })
  }),
  row("decisions.domains.create", "in any case, and not twice", function* () {
    const owner = yield* agent("active")
    expectAnswer(yield* claim(owner, "Acme.dev"), 201, { domain: pending, dnsRecords: records("MISSING") })
    expectError(yield* claim(owner, "ACME.dev"), 409, "DOMAIN_TAKEN")
    for (const domain of ["", "acme", "acme..dev", "10.0.0.1", "ada@acme.dev", "acme.mailroom.localhost"])
      expectInvalid(yield* claim(owner, domain), "domain")
    expectInvalid(yield* owner.call("POST /v1/domains", { body: {} }), "domain")
  }),
  row("decisions.domains.get", "as creating it answered, to its account alone", function* () {
    const owner = yield* agent("active")
    const created = yield* claim(owner, "acme.dev")
    const id = textAt(created.json, "domain.id")
    expectAnswer(yield* owner.call(`GET /v1/domains/${id}`), 200, created.json)
    yield* expectNobodys(yield* agent("active"), "GET", id)
  }),
  row("decisions.domains.delete", "it is gone, and there is room for another", function* () {
    const owner = yield* agent("active")
    const id = textAt((yield* claim(owner, "acme.dev")).json, "domain.id")
    yield* expectNobodys(yield* agent("active"), "DELETE", id)
    expectAnswer(yield* owner.call(`DELETE /v1/domains/${id}`), 200, { deleted: true })
    for (const method of ["GET", "DELETE"])
      expectError(yield* owner.call(`${method} /v1/domains/${id}`), 404, "DOMAIN_NOT_FOUND")
    expect((yield* claim(owner, "acme.org")).status).toBe(201)
  }),
  virtual("decisions.domains.delete", "not while a mailbox is on it", function* () {
    const owner = yield* agent("active")
    const id = yield* verifiedDomain(owner, "acme.dev")
    yield* owner.call("POST /v1/mailboxes", { body: { address: "hello", domainId: id } })
    expectError(yield* owner.call(`DELETE /v1/domains/${id}`), 409, "DOMAIN_IN_USE")
    expect((yield* owner.call(`GET /v1/domains/${id}`)).status).toBe(200)
  }),
  virtual("decisions.domains.verify", "it is VERIFIED once they are there", function* () {
    const { zones } = yield* Virtual
    const owner = yield* agent("active")
    const created = yield* claim(owner, "acme.dev")
    const id = textAt(created.json, "domain.id")
    const verify = owner.call(`POST /v1/domains/${id}/verify`)
    expectAnswer(yield* verify, 200, {
      domain: pending,
      dnsRecords: records("MISSING"),
      verification: { allVerified: false },
    })
    yield* zones.put("acme.dev", "unavailable")
    expectError(yield* verify, 503, "DNS_UNAVAILABLE")
    yield* publish(created)
    const found = { domain: verified, dnsRecords: records("VALID") }
    expectAnswer(yield* verify, 200, { ...found, verification: { allVerified: true } })
    expectAnswer(yield* owner.call(`GET /v1/domains/${id}`), 200, found)
    yield* expectNobodys(yield* agent("active"), "POST", id, "/verify")
  }),
  virtual("decisions.domains.verify", "a domain that another account has VERIFIED is taken", function* () {
    const [first, second] = [yield* agent("active"), yield* agent("active")]
    const late = yield* claim(second, "acme.dev")
    yield* verifiedDomain(first, "acme.dev")
    yield* publish(late)
    const target = `POST /v1/domains/${textAt(late.json, "domain.id")}/verify`
    expectError(yield* second.call(target), 409, "DOMAIN_TAKEN")
  }),
]
