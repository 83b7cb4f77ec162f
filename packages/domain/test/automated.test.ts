import { isAutomated } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"

const person = "ada@acme.dev"

describe("automated mail", () => {
  it("a person's mail is not automated", () => {
    expect(isAutomated({ subject: "Plan", "content-type": "text/plain" }, person)).toBe(false)
  })

  it("RFC 5321 §4.5.5: mail with the null return path is", () => {
    expect(isAutomated({}, "")).toBe(true)
  })

  it("RFC 3834 §5: Auto-Submitted says so, unless it says no", () => {
    for (const value of ["auto-replied", "auto-generated", "Auto-Notified", "auto-replied; owner-email=x"])
      expect(isAutomated({ "auto-submitted": value }, person), value).toBe(true)
    for (const value of ["no", "No", " no "])
      expect(isAutomated({ "auto-submitted": value }, person), value).toBe(false)
  })

  it("RFC 3834 §2: Precedence bulk, junk and list are", () => {
    for (const value of ["bulk", "Bulk", "junk", "list"])
      expect(isAutomated({ precedence: value }, person), value).toBe(true)
    expect(isAutomated({ precedence: "first-class" }, person)).toBe(false)
  })

  it("RFC 2919, RFC 2369: mailing lists are", () => {
    expect(isAutomated({ "list-id": "<dev.acme.dev>" }, person)).toBe(true)
    expect(isAutomated({ "list-unsubscribe": "<https://acme.dev/u>" }, person)).toBe(true)
  })

  it("RFC 3464, RFC 5965: reports are", () => {
    expect(isAutomated({ "content-type": "Multipart/Report; report-type=delivery-status" }, person)).toBe(
      true,
    )
    expect(isAutomated({ "content-type": "multipart/mixed" }, person)).toBe(false)
  })

  it("of a repeated field the first counts", () => {
    expect(isAutomated({ "auto-submitted": ["auto-replied", "no"] }, person)).toBe(true)
    expect(isAutomated({ "auto-submitted": [] }, person)).toBe(false)
  })
})
