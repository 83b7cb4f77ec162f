/** The rules of the account's pages: what keys, webhooks, domains and suppressions mean in words. */
import type { ApiKey, DnsRecord, DnsRecords } from "@mailroom/client"
import { actionText, actorText, detailText, isOfTopic } from "@mailroom/dashboard/rules/audit"
import { domainState, recordAdvice, shownRecords, zoneText } from "@mailroom/dashboard/rules/domains"
import { abilityText, isLastFullKey, permissionsOf, scopeText } from "@mailroom/dashboard/rules/keys"
import { reasonWords } from "@mailroom/dashboard/rules/suppressions"
import {
  answerText,
  deliveryState,
  eventGroups,
  headersFrom,
  mayRedeliver,
  webhookState,
} from "@mailroom/dashboard/rules/webhooks"
import { describe, expect, it } from "vitest"

const key = (facts: Partial<ApiKey>): ApiKey => ({
  id: "1",
  name: "Agent",
  prefix: "mr_12345678",
  mailboxIds: null,
  scoped: false,
  permissions: ["read"],
  enabled: true,
  lastUsedAt: null,
  createdAt: "2026-01-01T00:00:00.000Z",
  ...facts,
})

describe("keys", () => {
  it("a purpose stands for its permissions; one's own choice keeps their order", () => {
    expect(permissionsOf("drafts", new Set())).toEqual(["read", "draft"])
    expect(permissionsOf("custom", new Set(["manage", "read"]))).toEqual(["read", "manage"])
  })

  it("what a key may do reads as a list, and all of it as everything", () => {
    expect(abilityText(["send", "read"])).toBe("Read mail, send mail")
    expect(abilityText(["read", "send", "draft", "manage", "review"])).toBe("Everything")
  })

  it("the mailboxes of a key are named when there is one, and counted when there are several", () => {
    const addressOf = (id: string) => (id === "m" ? "agent@acme.dev" : undefined)
    expect(
      [null, ["m"], ["gone"], ["m", "n"]].map((mailboxIds) => scopeText({ mailboxIds }, addressOf)),
    ).toEqual(["All mailboxes", "agent@acme.dev", "A deleted mailbox", "2 mailboxes"])
  })

  it("a key is the last with full access when all others are revoked or restricted", () => {
    const full = key({ id: "full" })
    const others = [key({ id: "scoped", scoped: true }), key({ id: "revoked", enabled: false })]
    expect(isLastFullKey([full, ...others], full)).toBe(true)
    expect(isLastFullKey([full, ...others, key({ id: "second" })], full)).toBe(false)
  })
})

describe("webhooks", () => {
  it("every kind of event is offered once", () => {
    const kinds = eventGroups.flatMap((group) => group.kinds.map(({ kind }) => kind))
    expect(new Set(kinds).size).toBe(kinds.length)
    expect(kinds).toContain("thread.taken_over")
    expect(kinds).toContain("thread.released")
  })

  it("an active webhook whose deliveries fail is not called well", () => {
    expect(webhookState({ status: "ACTIVE", failureCount: 0 }).tone).toBe("good")
    expect(webhookState({ status: "ACTIVE", failureCount: 2 })).toMatchObject({
      tone: "warn",
      label: "Failing",
    })
    expect(webhookState({ status: "FAILED", failureCount: 20 }).label).toBe("Stopped")
  })

  it.each([
    [{ status: "PENDING", attempts: 0, responseStatus: null, lastError: null }, /^Not tried yet/],
    [
      { status: "PENDING", attempts: 1, responseStatus: null, lastError: "refused" },
      /No answer came: refused/,
    ],
    [{ status: "DELIVERED", attempts: 1, responseStatus: 204, lastError: null }, /took it with 204/],
    [
      { status: "PENDING", attempts: 1, responseStatus: 302, lastError: null },
      /302\. Redirects are not followed/,
    ],
    [
      { status: "FAILED", attempts: 6, responseStatus: 404, lastError: null },
      /404\. Nothing is at this address/,
    ],
    [
      { status: "FAILED", attempts: 6, responseStatus: 502, lastError: null },
      /502\. The receiver has a fault/,
    ],
  ] as const)("the answer %j is told in words", (delivery, text) =>
    expect(answerText(delivery)).toMatch(text),
  )

  it("a delivery waits, is tried again, or is done", () => {
    const labels = (["PENDING", "DELIVERED", "FAILED"] as const).map(
      (status) => deliveryState({ status, attempts: 1 }).label,
    )
    expect(labels).toEqual(["Retrying", "Delivered", "Failed"])
    expect(deliveryState({ status: "PENDING", attempts: 0 }).label).toBe("Waiting")
  })

  it("only an active webhook delivers again", () => {
    expect((["ACTIVE", "PAUSED", "FAILED"] as const).map((status) => mayRedeliver({ status }))).toEqual([
      true,
      false,
      false,
    ])
  })

  it("headers are written one a line", () => {
    expect(headersFrom("X-Team: support\n\nAuthorization: Bearer a:b\n")).toEqual({
      "X-Team": "support",
      Authorization: "Bearer a:b",
    })
    expect([headersFrom(""), headersFrom("no colon"), headersFrom("Bad name: x"), headersFrom("X:")]).toEqual(
      [{}, null, null, null],
    )
  })
})

describe("domains", () => {
  const record = (facts: Partial<DnsRecord>): DnsRecord => ({
    type: "TXT",
    host: "agents.acme.dev",
    value: "v=spf1 include:spf.example.com ~all",
    state: "MISSING",
    ...facts,
  })
  const records: DnsRecords = {
    mx: record({ type: "MX", value: "mx.example.com", priority: 10 }),
    spf: record({}),
    dkim: [
      record({ host: "one._domainkey.agents.acme.dev", value: "k".repeat(300) }),
      record({ host: "two._domainkey.agents.acme.dev" }),
    ],
    dmarc: record({ host: "_dmarc.agents.acme.dev", value: "v=DMARC1; p=none" }),
  }

  it("each status says what to do", () => {
    expect(
      (["VERIFIED", "PENDING_VERIFICATION", "FAILED"] as const).map(
        (status) => domainState({ status }).label,
      ),
    ).toEqual(["Ready", "Waiting for DNS", "Not found"])
  })

  it("the next signing key and DMARC are not required", () => {
    expect(shownRecords(records).map(({ key: name, isRequired }) => [name, isRequired])).toEqual([
      ["mx", true],
      ["spf", true],
      ["dkim0", true],
      ["dkim1", false],
      ["dmarc", false],
    ])
  })

  it("a missing record says its short name, a different one what is wrong, a found one nothing", () => {
    expect(recordAdvice("mx", records.mx, "agents.acme.dev")).toContain("the name is @.")
    expect(recordAdvice("dmarc", records.dmarc, "agents.acme.dev")).toContain("the name is _dmarc.")
    expect(recordAdvice("mx", record({ state: "INVALID" }), "agents.acme.dev")).toMatch(/Another server/)
    expect(recordAdvice("spf", record({ state: "VALID" }), "agents.acme.dev")).toBeNull()
  })

  it("the lines of a zone file split texts after 255 characters", () => {
    const lines = zoneText(records).split("\n")
    expect(lines[0]).toBe("agents.acme.dev. 3600 IN MX 10 mx.example.com.")
    expect(lines[2]).toBe(
      `one._domainkey.agents.acme.dev. 3600 IN TXT "${"k".repeat(255)}" "${"k".repeat(45)}"`,
    )
  })
})

describe("suppressions", () => {
  it("an entry of one mailbox may be a click on its link, any other was made by hand", () => {
    expect(reasonWords({ reason: "MANUAL", mailboxId: "m" }).label).toBe("Unsubscribed")
    expect(reasonWords({ reason: "MANUAL" }).label).toBe("By hand")
    expect(reasonWords({ reason: "COMPLAINT" }).tone).toBe("bad")
  })
})

describe("the audit trail", () => {
  it("an action of a later version reads as its name", () => {
    expect(actionText("key.created")).toBe("Key created")
    expect(actionText("mailbox.moved_away")).toBe("Mailbox moved away")
  })

  it("topics choose by the beginning of the action", () => {
    expect(isOfTopic("sends", "account.sending_paused")).toBe(true)
    expect(isOfTopic("sends", "account.created")).toBe(false)
    expect(isOfTopic("all", "anything")).toBe(true)
  })

  it("a key is called by its name when that is known", () => {
    const nameOf = (id: string) => (id === "k" ? "Agent" : undefined)
    expect(actorText({ kind: "key", id: "k" }, nameOf)).toBe("Key “Agent”")
    expect(actorText({ kind: "key", id: "x" }, nameOf)).toBe("An API key")
    expect(actorText({ kind: "session" }, nameOf)).toBe("You")
  })

  it("the id of what was changed is shown only when nothing else tells what it was", () => {
    const id = "01a20916-60bd-7093-893a-74837df86665"
    expect(detailText({ target: id, detail: { email: "a@b.dev", reason: "MANUAL" } })).toBe(
      "a@b.dev · reason: MANUAL",
    )
    expect(detailText({ target: id, detail: {} })).toBe(id)
    expect(
      detailText({ target: "a@b.dev", detail: { email: "a@b.dev", permissions: ["read", "send"] } }),
    ).toBe("a@b.dev · may: read, send")
  })
})
