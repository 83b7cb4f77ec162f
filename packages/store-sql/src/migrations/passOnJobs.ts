/** The raw mail that a job passes on, which stays as long as the job (`../blobs/unreferenced.ts`). */
import type { Dialect } from "../dialect.js"

export const passOnJobs = ({ id }: Dialect): ReadonlyArray<string> => [
  // NULL: the job passes nothing on, or it is of an earlier version.
  `ALTER TABLE jobs ADD COLUMN raw_id ${id}`,
  `CREATE INDEX jobs_raw ON jobs (raw_id) WHERE raw_id IS NOT NULL`,
  // Ids are UUIDs of 36 characters, and `kind` and `rawId` are the first fields of the text.
  `UPDATE jobs SET raw_id = substr(spec, 28, 36) WHERE spec LIKE '{"kind":"pass-on","rawId":"%'`,
]
