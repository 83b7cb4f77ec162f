/** Requests of one kind that read stored mail for long at the same time, in this process: in all, and of one account. */
export const READING_AT_ONCE = { permits: 8, perGroup: 2, waitingMax: 256, waitingPerGroup: 32 }
