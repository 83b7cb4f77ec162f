/**
 * Verification of custom domains, and pages of suppression lists. No earlier version wrote a domain. The defaults exist
 * only because ALTER TABLE requires one for a column that is NOT NULL.
 */

export const domainColumns = (): ReadonlyArray<string> => [
  ...[
    `dkim_selector TEXT NOT NULL DEFAULT ''`,
    `dkim_public_key TEXT NOT NULL DEFAULT ''`,
    `sealed_dkim_key TEXT NOT NULL DEFAULT ''`,
    `mx_state TEXT NOT NULL DEFAULT 'MISSING'`,
    `spf_state TEXT NOT NULL DEFAULT 'MISSING'`,
    `dkim_state TEXT NOT NULL DEFAULT 'MISSING'`,
    `dmarc_state TEXT NOT NULL DEFAULT 'MISSING'`,
    `wrong_since BIGINT`,
    `next_check_at BIGINT`,
    `locked_until BIGINT NOT NULL DEFAULT 0`,
  ].map((column) => `ALTER TABLE domains ADD COLUMN ${column}`),
  `CREATE UNIQUE INDEX domains_name ON domains (domain, account_id)`,
  // Several accounts may add the same name; only one of them can have it verified.
  `CREATE UNIQUE INDEX domains_verified ON domains (domain) WHERE status = 'VERIFIED'`,
  `CREATE INDEX domains_oldest ON domains (account_id, created_at, id)`,
  `CREATE INDEX domains_due ON domains (next_check_at, id, locked_until) WHERE next_check_at IS NOT NULL`,
  `DROP INDEX domains_account`,
  `CREATE INDEX mailboxes_domain ON mailboxes (domain_id) WHERE domain_id IS NOT NULL`,
  `CREATE INDEX suppressions_newest ON suppressions (account_id, created_at, id)`,
]
