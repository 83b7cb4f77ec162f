/** What the relay's answers to a mail for several recipients mean for those who did not get it (docs/decisions/0042). */
import { isPermanent, outcomeOf, relayRefusalText, RelayRefused, type RelayFailure } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"

const refusal = (answer: string, command?: "MAIL FROM" | "DATA") =>
  new RelayRefused({ answer, recipients: ["ada@example.org"], ...(command !== undefined && { command }) })

/** The bounce of Ada, while Bob's mail was taken. */
const bounceOf = (failure: RelayFailure) => {
  const outcome = outcomeOf([
    { recipient: "ada@example.org", failure },
    { recipient: "bob@example.org", failure: null },
  ])
  return Either.getOrThrow(outcome)[0]
}

describe("a recipient whom the relay refuses", () => {
  it.each([
    ["at RCPT TO, without words", refusal("550 no"), true],
    ["at RCPT TO, as unknown", refusal("550 5.1.1 no such user"), true],
    ["at RCPT TO, because its domain takes no mail", refusal("556 5.1.10 null MX"), true],
    ["at RCPT TO, as full", refusal("550 5.2.2 over quota"), false],
    ["at MAIL FROM", refusal("550 unknown user", "MAIL FROM"), false],
    ["at DATA, for the mail", refusal("550 no", "DATA"), false],
    [
      "at DATA, for our account",
      refusal(
        "554 Message rejected: Email address is not verified. The following identities failed the check",
        "DATA",
      ),
      false,
    ],
    ["at DATA, as unknown", refusal("550 5.1.1 no such user", "DATA"), true],
    ["before it was asked", refusal("that is no address"), false],
  ])("%s", (_when, failure, permanent) => {
    const bounce = bounceOf(failure)
    expect(bounce === undefined ? null : isPermanent(bounce)).toBe(permanent)
  })
})

describe("the text of a refusal", () => {
  for (const [command, text] of [
    [undefined, "The mail was refused for ada@example.org: 550 no"],
    ["MAIL FROM", "The relay refused the sender, whoever the recipients are: 550 no"],
    ["DATA", "The relay refused the mail, whoever the recipients are: 550 no"],
  ] as const)
    it(`names the recipients only when they are refused: ${command ?? "RCPT TO"}`, () => {
      expect(relayRefusalText(refusal("550 no", command))).toBe(text)
    })
})
