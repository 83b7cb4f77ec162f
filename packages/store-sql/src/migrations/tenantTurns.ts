/** The free mail of each tenant in the inbound queue, so that a claim finds it behind any amount of other tenants' mail. */
export const tenantTurns = (): ReadonlyArray<string> => [
  // The condition is not that of `inbound_queue_free`, so that Postgres cannot choose that index for the mail of one tenant:
  // it would when its statistics know a single tenant.
  `CREATE INDEX inbound_queue_waiting ON inbound_queue (lane, tenant, turn, id) WHERE locked_until <= 0`,
]
