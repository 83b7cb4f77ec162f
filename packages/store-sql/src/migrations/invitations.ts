/** Invitations to sign up (docs/operations.md, Who may sign up). */
import type { Dialect } from "../dialect.js"

export const invitationTables = ({ id }: Dialect): ReadonlyArray<string> => [
  `CREATE TABLE invitations (
    id ${id} NOT NULL PRIMARY KEY,
    hash ${id} NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
  )`,
  `CREATE UNIQUE INDEX invitations_hash ON invitations (hash)`,
  `CREATE INDEX invitations_expiry ON invitations (expires_at)`,
]
