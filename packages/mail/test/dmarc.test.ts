/** DMARC, and the verified domain (RFC 7489). */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { utf8 } from "./support/mails.js"
import { evaluated, inZones, keyRecords, mailFrom, signedByOthers, type Zones } from "./support/senders.js"

const spfOf = (domain: string): Zones => ({ [domain]: { txt: ["v=spf1 ip4:192.0.2.1 -all"] } })
const keyOf = (domain: string): Zones => ({ [`s._domainkey.${domain}`]: { txt: [keyRecords.rsa] } })
const policy = (text: string, domain = "acme.dev"): Zones => ({ [`_dmarc.${domain}`]: { txt: [text] } })

/** Evaluates a mail from `author`, with the envelope sender `sender`, signed by `signer`. */
const judged = (
  {
    author = "ada@acme.dev",
    sender = "acme.dev",
    signer,
  }: { author?: string; sender?: string; signer?: string },
  ...zones: ReadonlyArray<Zones>
) =>
  Effect.gen(function* () {
    const mail = mailFrom(author)
    const raw = signer === undefined ? mail : yield* signedByOthers(mail, { domain: signer })
    const { dmarc, verifiedDomain } = yield* evaluated(raw, { from: `bounces@${sender}` })
    return { dmarc, verifiedDomain }
  }).pipe(inZones(Object.assign({}, ...zones)))

const reject = policy("v=DMARC1; p=reject")
const strict = policy("v=DMARC1; p=reject; aspf=s; adkim=s")
const proven = (dmarc: string) => ({ dmarc, verifiedDomain: "acme.dev" })
const unproven = (dmarc: string) => ({ dmarc, verifiedDomain: null })

describe("DMARC", () => {
  const rules: ReadonlyArray<readonly [string, Parameters<typeof judged>[0], ReadonlyArray<Zones>, object]> =
    [
      ["passes with SPF of the same domain", {}, [reject, spfOf("acme.dev")], proven("pass")],
      [
        "passes with SPF of the same organization (§3.1.2)",
        { sender: "mail.acme.dev" },
        [reject, spfOf("mail.acme.dev")],
        proven("pass"),
      ],
      [
        "passes with a signature of the same organization (§3.1.1)",
        { sender: "esp.dev", signer: "mail.acme.dev" },
        [reject, keyOf("mail.acme.dev")],
        proven("pass"),
      ],
      [
        "fails when only another domain passes",
        { sender: "esp.dev", signer: "esp.dev" },
        [reject, spfOf("esp.dev"), keyOf("esp.dev")],
        unproven("fail"),
      ],
      ["fails when nothing passes", {}, [reject], unproven("fail")],
      ...[
        "ada @ acme . dev",
        "ada (at home) @ acme.dev",
        '"ada"@acme.dev',
        "ada@acme.dev.",
        utf8("ada@acme\u3002dev"),
      ].map(
        (author) =>
          [
            `fails for ${author}, another way to write the same`,
            { author },
            [reject],
            unproven("fail"),
          ] as const,
      ),
      [
        "fails with SPF of a subdomain when it is to be strict",
        { sender: "mail.acme.dev" },
        [strict, spfOf("mail.acme.dev")],
        unproven("fail"),
      ],
      [
        "fails with a signature of a subdomain when it is to be strict",
        { sender: "esp.dev", signer: "mail.acme.dev" },
        [strict, keyOf("mail.acme.dev")],
        unproven("fail"),
      ],
      [
        "passes strictly with the very domain",
        { signer: "acme.dev" },
        [strict, keyOf("acme.dev")],
        proven("pass"),
      ],
      [
        "is that of the organization, where the domain has none (§6.6.3)",
        { author: "ada@news.acme.dev", sender: "acme.dev" },
        [strict, spfOf("acme.dev")],
        unproven("fail"),
      ],
      [
        "is its own, where the domain has one",
        { author: "ada@news.acme.dev", sender: "acme.dev" },
        [strict, policy("v=DMARC1; p=none", "news.acme.dev"), spfOf("acme.dev")],
        { dmarc: "pass", verifiedDomain: "news.acme.dev" },
      ],
      [
        "is temperror while nobody answers for the policy; the very domain is proven all the same",
        {},
        [{ "_dmarc.acme.dev": "unavailable" }, spfOf("acme.dev")],
        proven("temperror"),
      ],
      [
        "is temperror while nobody answers for the policy, and proves no other domain: it might be strict",
        { sender: "mail.acme.dev" },
        [{ "_dmarc.acme.dev": "unavailable" }, spfOf("mail.acme.dev")],
        unproven("temperror"),
      ],
      [
        "is temperror while nobody answers for what could pass",
        {},
        [reject, { "acme.dev": "unavailable" }],
        unproven("temperror"),
      ],
      [
        "fails under a policy without a value, which asks for nothing (§6.3)",
        { sender: "esp.dev" },
        [policy("v=DMARC1; p"), spfOf("esp.dev")],
        unproven("fail"),
      ],
      [
        "is none for two records (§6.6.3)",
        {},
        [{ "_dmarc.acme.dev": { txt: ["v=DMARC1; p=none", "v=DMARC1; p=none"] } }],
        unproven("none"),
      ],
    ]
  for (const [rule, sent, zones, result] of rules)
    it.effect(rule, () =>
      Effect.gen(function* () {
        expect(yield* judged(sent, ...zones)).toEqual(result)
      }),
    )
})

describe("the verified domain, without a DMARC policy", () => {
  const proofs: ReadonlyArray<
    readonly [string, Parameters<typeof judged>[0], ReadonlyArray<Zones>, string | null]
  > = [
    ["by SPF", {}, [spfOf("acme.dev")], "acme.dev"],
    ["by a signature", { signer: "acme.dev" }, [keyOf("acme.dev")], "acme.dev"],
    ["by its organization", { author: "ada@hq.acme.dev" }, [spfOf("acme.dev")], "hq.acme.dev"],
    [
      "not by a neighbour under a public suffix",
      { author: "ada@a.co.uk", sender: "b.co.uk" },
      [spfOf("b.co.uk")],
      null,
    ],
    [
      "not by a neighbour at a host",
      { author: "a@a.github.io", sender: "b.github.io" },
      [spfOf("b.github.io")],
      null,
    ],
    [
      "not by another domain",
      { sender: "esp.dev", signer: "esp.dev" },
      [spfOf("esp.dev"), keyOf("esp.dev")],
      null,
    ],
    ["not without anything", {}, [], null],
  ]
  for (const [rule, sent, zones, verifiedDomain] of proofs)
    it.effect(rule, () =>
      Effect.gen(function* () {
        expect(yield* judged(sent, ...zones)).toEqual({ dmarc: "none", verifiedDomain })
      }),
    )
})

describe("the author of a mail", () => {
  const all = [
    reject,
    spfOf("acme.dev"),
    policy("v=DMARC1; p=reject", "xn--bcher-kva.dev"),
    spfOf("xn--bcher-kva.dev"),
  ]

  const authors: ReadonlyArray<readonly [string, string, string, string?, string?]> = [
    [
      "has a name and a comment",
      '"acme, eve@evil.dev" <ada@ACME.dev> (hello)',
      "pass",
      "acme.dev",
      "acme.dev",
    ],
    [
      "has an international domain",
      utf8("Ada <ada@bücher.dev>"),
      "pass",
      "xn--bcher-kva.dev",
      "xn--bcher-kva.dev",
    ],
    ["has A-labels", "ada@xn--bcher-kva.dev", "pass", "xn--bcher-kva.dev", "xn--bcher-kva.dev"],
    ["is two", "ada@acme.dev, eve@evil.dev", "permerror"],
    ["is two of one domain", "ada@acme.dev, bob@acme.dev", "permerror"],
    ["stands in two fields", "ada@acme.dev\r\nFrom: eve@evil.dev", "permerror"],
    ["is nobody", "", "none"],
    ["has no domain", "ada", "none"],
    ["has an address for a domain", "ada@[192.0.2.1]", "none"],
    ["has a domain that browsers would decode", "ada@%61cme.dev", "none"],
    ["is a hundred thousand", "ada@acme.dev, ".repeat(100_000), "permerror"],
  ]
  for (const [what, author, dmarc, sender = "acme.dev", verifiedDomain = null] of authors)
    it.effect(`${what}: ${dmarc}`, () =>
      Effect.gen(function* () {
        expect(yield* judged({ author, sender }, ...all)).toEqual({ dmarc, verifiedDomain })
      }),
    )

  // A reader that sees another author than the checks do would believe a forged one.
  const groups: ReadonlyArray<readonly [string, string]> = [
    ["in a group before the signer", "all: olga@owner.dev;, eve@acme.dev"],
    ["in a group of a field before the signer's", "all: olga@owner.dev;\r\nFrom: eve@acme.dev"],
    ["in a group, with the signer", "all: olga@owner.dev, eve@acme.dev;"],
  ]
  for (const [what, author] of groups)
    it.effect(`stands ${what}, in a signed mail: permerror`, () =>
      Effect.gen(function* () {
        const found = yield* judged({ author, signer: "acme.dev" }, reject, keyOf("acme.dev"))
        expect(found).toEqual(unproven("permerror"))
      }),
    )
})
