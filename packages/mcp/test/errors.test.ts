/** Each error of the service as a tool reports it. */
import { MailroomError } from "@mailroom/client"
import { errorCodes } from "@mailroom/api"
import { describe, expect, it } from "vitest"
import { toolErrorOf } from "../src/errors.js"

/** Codes of routes that no tool calls: of owners, operators, webhooks, uploads, keys and signing up. */
const elsewhere = new Set(
  `ACCOUNT_NOT_FOUND ALREADY_PAID API_KEY_LIMIT_REACHED ATTACHMENT_IN_USE BILLING_DISABLED CHECKOUT_COMPLETED CHECKOUT_EXPIRED CHECKOUT_NOT_FOUND
  CUSTOM_DOMAIN_LIMIT_REACHED DELIVERY_NOT_FOUND DIGEST_MISMATCH DOMAIN_IN_USE DOMAIN_TAKEN EMAIL_TAKEN ENDPOINT_NOT_FOUND
  EVENT_EXPIRED FOREIGN_ORIGIN INVALID_SIGNATURE INVALID_TOKEN INVITATION_NOT_FOUND INVITATION_REQUIRED KEY_NOT_FOUND
  LAST_FULL_KEY LIST_ENTRY_NOT_FOUND LIST_LIMIT_REACHED LIST_NOT_FOUND MAILBOX_SUSPENDED NOT_PENDING_REVIEW NO_SUBSCRIPTION
  PAYMENT_DECLINED SESSION_REQUIRED SIGNUP_CLOSED SLUG_RESERVED SLUG_TAKEN SUPPRESSION_NOT_FOUND WEBHOOK_LIMIT_REACHED
  WEBHOOK_NOT_ACTIVE WEBHOOK_NOT_FOUND`.split(/\s+/),
)

const answers = Object.values(errorCodes).flatMap(({ status, codes }) =>
  Object.entries(codes).map(([code, meaning]) => ({ code, status, meaning })),
)

describe("an error of the service", () => {
  it.each(answers.filter(({ code }) => !elsewhere.has(code)))(
    "$code has a hint: what to change, or when to call again",
    ({ code, status, meaning }) => {
      const error = toolErrorOf(new MailroomError(meaning, { code, status, retryAfter: 7 }))
      expect(error).toMatchObject({ code, message: meaning, retryAfter: 7 })
      expect(error.hint).not.toBe("Do not repeat the call unchanged.")
    },
  )

  it.each([
    ["INTERNAL_ERROR", 500, undefined, true],
    ["RELAY_UNAVAILABLE", 503, 60, true],
    ["SEND_VELOCITY_EXCEEDED", 429, 12, true],
    ["SEND_UNCERTAIN", 503, undefined, false],
    ["MONTHLY_SEND_LIMIT_REACHED", 429, 900_000, false],
    ["MAIL_LOOP_CUT", 429, 600, false],
    ["IDEMPOTENCY_KEY_IN_USE", 409, 5, true],
    ["CLAIMED", 409, 60, true],
    ["CLAIMED", 409, undefined, false],
    ["MESSAGE_NOT_FOUND", 404, undefined, false],
    ["PAYMENT_REQUIRED", 402, undefined, false],
    ["CODE_OF_A_NEWER_SERVICE", 503, undefined, true],
    ["CODE_OF_A_NEWER_SERVICE", 409, undefined, false],
  ])("%s of status %d, with Retry-After %s, is retryable: %s", (code, status, retryAfter, retryable) => {
    const error = toolErrorOf(new MailroomError("no", { code, status, retryAfter }))
    expect(error).toMatchObject({ retryable, retryAfter: retryAfter ?? null, hint: expect.any(String) })
  })

  it("that is none, but a fault of a tool, has the same form", () => {
    expect(toolErrorOf(new TypeError("x is not a function"))).toMatchObject({
      code: "TOOL_FAULT",
      message: "TypeError: x is not a function",
      retryable: false,
      retryAfter: null,
    })
  })

  it("names fields as the tools do", () => {
    const issues = [
      { path: "bodyText", message: "bodyText or bodyHtml is required" },
      { path: "Idempotency-Key", message: "must be shorter" },
      { path: "to.0", message: "must be one email address" },
    ]
    const error = new MailroomError("Wrong", { code: "VALIDATION_FAILED", status: 400, issues })
    expect(toolErrorOf(error).message).toBe(
      "text: text or html is required; idempotencyKey: must be shorter; to.0: must be one email address",
    )
  })
})
