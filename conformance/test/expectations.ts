/** Expectations about responses. */
import { expect } from "vitest"
import type { Answer } from "../src/Answer.js"

export const anyText = expect.any(String)
export const anyCount = expect.any(Number)
export const anyId = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
)
export const anyTime = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)

/** An id that does not exist. */
export const ABSENT = "01900000-0000-7000-8000-000000000000"

/** Exactly this status, and exactly this body. */
export const expectAnswer = (answer: Answer, status: number, json: unknown): void => {
  expect([answer.status, answer.json], answer.text).toEqual([status, json])
}

/** This status, and a body with at least these fields. */
export const expectWithin = (answer: Answer, status: number, json: object): void => {
  expect(answer.status, answer.text).toBe(status)
  expect(answer.json).toMatchObject(json)
}

/** Exactly an error: `error`, `code` and the fields in `more`. */
export const expectError = (answer: Answer, status: number, code: string, more: object = {}): void =>
  expectAnswer(answer, status, { error: anyText, code, ...more })

/** An invalid body or query: the error names every wrong field. */
export const expectInvalid = (answer: Answer, ...paths: ReadonlyArray<string>): void => {
  const issues = expect.arrayContaining(paths.map((path) => ({ path, message: anyText })))
  expectError(answer, 400, "VALIDATION_FAILED", { issues })
}

/** Exactly the error of a suspended account. */
export const expectSuspended = (answer: Answer, reason: string): void =>
  expectError(answer, 403, "ACCOUNT_SUSPENDED", { suspended: true, reason })

export const UPGRADE_HINT = "POST /v1/billing/upgrade for a checkout URL"

/** The object form of `upgrade`. */
export const upgrade = {
  browserUrl: "http://mailroom.test/dashboard/billing",
  apiEndpoint: { method: "POST", path: "/v1/billing/upgrade" },
  hint: anyText,
}

/** Exactly the body of a payment error. */
export const expectPayment = (answer: Answer, code = "PAYMENT_REQUIRED"): void =>
  expectError(answer, 402, code, { payment_required: true, upgrade })
