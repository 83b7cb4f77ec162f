/**
 * Which versions of this program may use the database: those that know the schema's version `oldest`, or a later one.
 * A migration that an older version cannot run beside raises it, and so keeps that version from starting.
 */
export const compatibility = (): ReadonlyArray<string> => [
  `CREATE TABLE schema_compatibility (oldest BIGINT NOT NULL)`,
  `INSERT INTO schema_compatibility (oldest) VALUES (10)`,
]
