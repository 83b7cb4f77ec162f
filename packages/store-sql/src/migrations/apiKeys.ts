/** Finds the active API keys of an account, and those that were revoked long ago. */
export const apiKeyIndexes: ReadonlyArray<string> = [
  `CREATE INDEX api_keys_active ON api_keys (account_id, created_at, id) WHERE revoked_at IS NULL`,
  `CREATE INDEX api_keys_revoked ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL`,
]
