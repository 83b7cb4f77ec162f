/** The row that `/readyz` writes to check that the database accepts writes (docs/decisions/0058). */
import type { Dialect } from "../dialect.js"

export const writeCheckTable = ({ id }: Dialect): ReadonlyArray<string> => [
  `CREATE TABLE write_checks (
    name ${id} PRIMARY KEY,
    written_at BIGINT NOT NULL
  )`,
]
