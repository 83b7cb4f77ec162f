/** The time of the newest event of each account, so that later events are not before it by the clock of another process. */
export const eventTimes: ReadonlyArray<string> = [
  `ALTER TABLE accounts ADD COLUMN event_at BIGINT NOT NULL DEFAULT 0`,
]
