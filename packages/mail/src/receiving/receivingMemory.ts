/** The bytes that all sessions of a receiver hold in memory. */

/**
 * Bytes above which no message is kept in memory any more: each goes to the blob store as it arrives, however small it
 * is, and a session that has to hold commands back is closed.
 */
const RECEIVING_MEMORY_MAX = 64 * 1024 * 1024

export interface ReceivingMemory {
  readonly take: (bytes: number) => void
  readonly giveBack: (bytes: number) => void
  readonly isFull: () => boolean
}

export const makeReceivingMemory = (max: number = RECEIVING_MEMORY_MAX): ReceivingMemory => {
  let held = 0
  return {
    take: (bytes) => {
      held += bytes
    },
    giveBack: (bytes) => {
      held -= bytes
    },
    isFull: () => held > max,
  }
}
