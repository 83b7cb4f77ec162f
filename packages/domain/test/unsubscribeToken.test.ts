import { describe, expect, it } from "@effect/vitest"
import {
  isEmailAddress,
  MailboxId,
  readUnsubscribeToken,
  UNSUBSCRIBE_TOKEN_MAX_LENGTH,
  unsubscribeToken,
} from "@mailroom/domain"
import { Option } from "effect"
import { uuid } from "./support/records.js"

const mailboxId = MailboxId.make(uuid(7))
const signature = "s".repeat(43)
const read = (token: string) => Option.getOrNull(readUnsubscribeToken(token))

describe("the token of an unsubscribe link", () => {
  for (const recipient of ["ada@elsewhere.org", "ada+news@elsewhere.org", "jürgen@elsewhere.org"])
    it(`holds the mailbox and ${recipient}, in characters that a path may have`, () => {
      const token = unsubscribeToken({ mailboxId, recipient }, signature)
      expect(token).toMatch(/^[\w-]+\.s{43}$/)
      expect(read(token)).toEqual({ mailboxId, recipient, signature })
    })

  it("is none without its parts, and with other characters", () => {
    const token = unsubscribeToken({ mailboxId, recipient: "ada@elsewhere.org" }, signature)
    for (const text of [
      "",
      ".",
      token.replace(".", ""),
      `${token}=`,
      `${token}.a`,
      `a.${signature}`,
      `/${token}`,
    ])
      expect(read(text)).toBeNull()
  })

  it("of the longest address is within the length that the service reads", () => {
    const recipient = `${"字".repeat(64)}@${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.zone12`
    expect(isEmailAddress(recipient)).toBe(true)
    expect(unsubscribeToken({ mailboxId, recipient }, signature).length).toBeLessThanOrEqual(
      UNSUBSCRIBE_TOKEN_MAX_LENGTH,
    )
  })
})
