/**
 * What verifying a custom domain needs, and the pages of suppression lists. No version before this one wrote a domain:
 * the defaults are there for the databases' sake alone.
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
  // Many may claim a name; this decides who has it.
  `CREATE UNIQUE INDEX domains_verified ON domains (domain) WHERE status = 'VERIFIED'`,
  `CREATE INDEX domains_oldest ON domains (account_id, created_at, id)`,
  `CREATE INDEX domains_due ON domains (next_check_at, id, locked_until) WHERE next_check_at IS NOT NULL`,
  `DROP INDEX domains_account`,
  `CREATE INDEX mailboxes_domain ON mailboxes (domain_id) WHERE domain_id IS NOT NULL`,
  `CREATE INDEX suppressions_newest ON suppressions (account_id, created_at, id)`,
]
