/** Fair queueing of jobs: each account has a line of its own (`../jobs/JobStoreSql.ts`). */
import type { Dialect } from "../dialect.js"

export const jobLines = ({ id }: Dialect): ReadonlyArray<string> => [
  // line: jobs with the same line run one after another. line_at: virtual start time, the order among all lines.
  `ALTER TABLE jobs ADD COLUMN line ${id} NOT NULL DEFAULT ''`,
  `ALTER TABLE jobs ADD COLUMN line_at BIGINT NOT NULL DEFAULT 0`,
  `UPDATE jobs SET line_at = due_at`,
  `CREATE INDEX jobs_next ON jobs (line_at, id, due_at, locked_until)`,
  `CREATE INDEX jobs_line ON jobs (line, line_at)`,
]
