/** Threads that a person has taken over, and what persons had to do with drafts (docs/specification/threads.md). */
export const takeoverColumns = (): ReadonlyArray<string> => [
  // NULL: nobody has taken the thread over.
  `ALTER TABLE threads ADD COLUMN taken_over_at BIGINT`,
  // NULL: no person approved the draft. by_person: a person sent or scheduled it.
  `ALTER TABLE drafts ADD COLUMN person_approved_at BIGINT`,
  `ALTER TABLE drafts ADD COLUMN by_person SMALLINT NOT NULL DEFAULT 0`,
]
