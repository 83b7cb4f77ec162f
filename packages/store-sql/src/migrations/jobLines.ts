/** Jobs of one account stand in a line of their own, so that no account's jobs hold up another's. */
import type { Dialect } from "../dialect.js"

export const jobLines = ({ id }: Dialect): ReadonlyArray<string> => [
  // line: whose jobs stand behind one another. line_at: the job's place among all lines, a time.
  `ALTER TABLE jobs ADD COLUMN line ${id} NOT NULL DEFAULT ''`,
  `ALTER TABLE jobs ADD COLUMN line_at BIGINT NOT NULL DEFAULT 0`,
  `UPDATE jobs SET line_at = due_at`,
  `CREATE INDEX jobs_next ON jobs (line_at, id, due_at, locked_until)`,
  `CREATE INDEX jobs_line ON jobs (line, line_at)`,
]
