/** Large answers of requests with an `Idempotency-Key`: each account may have some (docs/decisions/0021). */
export const largeAnswers: ReadonlyArray<string> = [
  // In place of `answer`, so that it is read only for its own repetition.
  `ALTER TABLE idempotency_keys ADD COLUMN large_answer TEXT`,
  `ALTER TABLE idempotency_keys ADD COLUMN large_answer_bytes BIGINT`,
  `CREATE INDEX idempotency_keys_large ON idempotency_keys (account_id, expires_at, large_answer_bytes)
    WHERE large_answer_bytes IS NOT NULL`,
]
