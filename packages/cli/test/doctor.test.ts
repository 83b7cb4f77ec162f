/** What `doctor` finds in DNS, and on servers. */
import { Effect } from "effect"
import { createServer } from "node:net"
import { once } from "node:events"
import { describe, expect, it } from "vitest"
import { domainChecks, smtpChecks } from "../src/doctor/domainChecks.js"
import { serviceChecks } from "../src/doctor/serviceChecks.js"
import { allAddresses, Dns } from "../src/doctor/network.js"
import {
  judgeCertificate,
  judgeClock,
  judgeDkim,
  judgeDmarc,
  judgeMtaSts,
  judgeSpf,
  judgeTlsReporting,
} from "../src/doctor/records.js"

const states = (verdicts: ReadonlyArray<{ readonly state: string }>) => verdicts.map(({ state }) => state)

describe("records", () => {
  it("SPF is one record with at most ten lookups and an end that does not let everybody send", () => {
    const many = Array.from({ length: 11 }, (_, index) => `include:${index}.dev`).join(" ")
    expect(
      states([
        judgeSpf(["v=spf1 include:spf.corp.dev ~all", "other"]),
        judgeSpf(["v=spf1 redirect=corp.dev"]),
        judgeSpf(["v=spf1 mx"]),
        judgeSpf([]),
        judgeSpf(["v=spf1 -all", "v=spf1 ~all"]),
        judgeSpf(["v=spf1 +all"]),
        judgeSpf([`v=spf1 ${many} -all`]),
      ]),
    ).toEqual(["ok", "ok", "warning", "problem", "problem", "problem", "problem"])
  })

  it("a DKIM key is published and not revoked; DMARC has a policy; TLS reports go to somebody", () => {
    expect(
      states([judgeDkim(["v=DKIM1; k=rsa; p=MII"]), judgeDkim(["v=DKIM1; p="]), judgeDkim(["hello"])]),
    ).toEqual(["ok", "problem", "problem"])
    expect(
      states([
        judgeDmarc(["v=DMARC1; p=reject"]),
        judgeDmarc(["v=DMARC1; p=none"]),
        judgeDmarc([]),
        judgeDmarc(["v=DMARC1; p=whatever"]),
      ]),
    ).toEqual(["ok", "warning", "warning", "problem"])
    expect(
      states([
        judgeTlsReporting(["v=TLSRPTv1; rua=mailto:a@corp.dev"]),
        judgeTlsReporting(["v=TLSRPTv1;"]),
        judgeTlsReporting([]),
      ]),
    ).toEqual(["ok", "problem", "warning"])
  })

  it("an MTA-STS policy can be fetched and lists every host", () => {
    const record = ["v=STSv1; id=1"]
    const policy = "version: STSv1\nmode: enforce\nmx: mx.corp.dev\nmx: *.backup.dev\nmax_age: 86400\n"
    expect(
      states([
        judgeMtaSts(record, policy, ["mx.corp.dev", "a.backup.dev"]),
        judgeMtaSts(record, policy.replace("enforce", "testing"), ["mx.corp.dev"]),
        judgeMtaSts(record, policy, ["a.b.backup.dev"]),
        judgeMtaSts(record, null, []),
        judgeMtaSts([], null, []),
      ]),
    ).toEqual(["ok", "warning", "problem", "problem", "warning"])
  })

  it("a certificate is trusted and not about to end, and clocks agree to a minute", () => {
    const day = 86_400_000
    expect(
      states([
        judgeCertificate(null, 15 * day, 0),
        judgeCertificate(null, 13 * day, 0),
        judgeCertificate(null, -1, 0),
        judgeCertificate("SELF_SIGNED", 90 * day, 0),
        judgeClock(60_000, 0),
        judgeClock(0, 61_000),
      ]),
    ).toEqual(["ok", "warning", "problem", "problem", "ok", "problem"])
  })
})

/** A zone for the tests. */
const zone = (txt: Readonly<Record<string, ReadonlyArray<string>>>) => ({
  mx: async () => [],
  txt: async (name: string) => [...(txt[name] ?? [])],
  addresses: async () => [],
  names: async () => [],
})

it("a domain is told what is missing, and what to do about each", async () => {
  const records = { "corp.dev": ["v=spf1 -all"], "s1._domainkey.corp.dev": ["v=DKIM1; p=MII"] }
  const found = await Effect.runPromise(
    Effect.provideService(domainChecks("corp.dev", ["s1"]), Dns, zone(records)),
  )
  expect(found.map(({ check, state }) => `${check} ${state}`)).toEqual([
    "mx problem",
    "spf ok",
    "dkim ok",
    "dmarc warning",
    "tls-rpt warning",
    "mta-sts warning",
  ])
  for (const { state, hint } of found) expect(hint === "").toBe(state === "ok")
})

it("a name server that does not answer is no finding about the domain", async () => {
  const silent = () => Promise.reject(Object.assign(new Error("timeout"), { code: "ETIMEOUT" }))
  const dns = { mx: silent, txt: silent, addresses: silent, names: silent }
  const found = await Effect.runPromise(Effect.provideService(domainChecks("corp.dev", []), Dns, dns))
  expect(new Set(found.map(({ state }) => state))).toEqual(new Set(["skipped"]))
})

it("a host has an address when it has one of IPv6 alone, or when one of two lookups fails", async () => {
  const fails = (code: string) => Promise.reject(Object.assign(new Error(code), { code }))
  const six = Promise.resolve(["2001:db8::1"])
  expect(await allAddresses([fails("ENODATA"), six])).toEqual(["2001:db8::1"])
  expect(await allAddresses([fails("ETIMEOUT"), six])).toEqual(["2001:db8::1"])
  expect(await allAddresses([Promise.resolve(["192.0.2.1"]), six])).toEqual(["192.0.2.1", "2001:db8::1"])
  expect(await allAddresses([fails("ENODATA"), fails("ENOTFOUND")])).toEqual([])
  await expect(allAddresses([fails("ENODATA"), fails("ETIMEOUT")])).rejects.toThrow("ETIMEOUT")
})

describe("a service", () => {
  const found = (answer: Response) =>
    Effect.runPromise(
      serviceChecks(
        async (url) => (url.endsWith("/readyz") ? answer : Response.json({}, { status: 404 })),
        "http://localhost:3000",
      ),
    )

  it("that is ready and whose relay takes no mail has a problem", async () => {
    const findings = await found(Response.json({ status: "ok", relay: "does not take mail: ECONNREFUSED" }))
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: "relay",
        state: "problem",
        message: "The relay does not take mail: ECONNREFUSED.",
      }),
    )
    expect(findings).toContainEqual(expect.objectContaining({ check: "http", state: "ok" }))
  })

  it("that is not ready is a problem with the reason that it gives", async () => {
    const body = { status: "storage unavailable", database: "cannot write: SQLITE_FULL" }
    const texts = [
      [
        Response.json(body, { status: 503 }),
        "503: storage unavailable; the database cannot write: SQLITE_FULL.",
      ],
      [Response.json({ status: "starting" }, { status: 503 }), "503: starting."],
      [new Response("<html>", { status: 502 }), "502."],
    ] as const
    for (const [answer, text] of texts)
      expect(await found(answer)).toContainEqual(
        expect.objectContaining({ check: "http", state: "problem", message: `/readyz answers ${text}` }),
      )
  })
})

it("a server without STARTTLS is a warning, and one that hangs up or is not there a problem", async () => {
  const polite = createServer((socket) => {
    socket.write("220 mx.corp.dev ESMTP\r\n")
    socket.once("data", () => socket.write("250-mx.corp.dev\r\n250 SIZE 1000\r\n"))
  }).listen(0, "127.0.0.1")
  const rude = createServer((socket) => socket.end()).listen(0, "127.0.0.1")
  await Promise.all([once(polite, "listening"), once(rude, "listening")])
  const portOf = (server: typeof polite) => {
    const address = server.address()
    return typeof address === "object" && address !== null ? address.port : 0
  }
  const [first, second, third] = await Promise.all(
    [portOf(polite), portOf(rude), 1].map((port) => Effect.runPromise(smtpChecks("127.0.0.1", port))),
  )
  expect(first).toMatchObject([{ state: "ok", message: "220 mx.corp.dev ESMTP" }, { state: "warning" }])
  expect(second).toMatchObject([{ state: "problem" }])
  expect(third).toMatchObject([{ state: "problem" }])
  polite.close()
  rude.close()
})
