/**
 * `oldest` is the lowest schema version that a program must know to use the database. A migration that older programs
 * cannot run beside raises it, and so keeps them from starting (`../schemaVersion.ts`).
 */
export const compatibility = (): ReadonlyArray<string> => [
  `CREATE TABLE schema_compatibility (oldest BIGINT NOT NULL)`,
  `INSERT INTO schema_compatibility (oldest) VALUES (10)`,
]
