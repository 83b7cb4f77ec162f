/** Rotating secrets and deleting webhooks; listing and pruning deliveries; pruning events. */

export const webhookChanges = (): ReadonlyArray<string> => [
  `ALTER TABLE webhooks ADD COLUMN sealed_previous_secret TEXT`,
  `ALTER TABLE webhooks ADD COLUMN previous_secret_until BIGINT`,
  // A webhook with status DELETED is hidden; its row stays until its deliveries are removed.
  `CREATE INDEX webhooks_listed ON webhooks (account_id, created_at, id) WHERE status <> 'DELETED'`,

  `ALTER TABLE webhook_deliveries ADD COLUMN payload TEXT`,
  `DROP INDEX webhook_deliveries_webhook`,
  `CREATE INDEX webhook_deliveries_listed ON webhook_deliveries (webhook_id, status, created_at, id)`,
  `CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (created_at) WHERE status <> 'PENDING'`,

  `CREATE INDEX events_created ON events (created_at)`,
]
