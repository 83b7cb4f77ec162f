/** The policies of mailboxes, as JSON text; NULL: the defaults (docs/decisions/0064). */

export const policyColumn = (): ReadonlyArray<string> => [`ALTER TABLE mailboxes ADD COLUMN policies TEXT`]
