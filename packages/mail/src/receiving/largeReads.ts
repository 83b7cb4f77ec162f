/**
 * Large messages arrive in turns. Twenty sessions that send them would otherwise fill each turn of the event loop with
 * their bytes, and everybody's small mail and requests wait for the end of the turn (docs/decisions/0046).
 */

/** Bytes that a session reads in its turn: what Node reads at a time. */
const TURN_BYTES = 64 * 1024
/** Sessions that read in one turn of the event loop. */
const SESSIONS_A_TURN = 3

/** The connection of a session that reads a large message. */
export interface LargeReader {
  /** Reads no more until `wake`. */
  readonly rest: () => void
  readonly wake: () => void
}

export interface LargeReads {
  /** Returns a function that counts the bytes of a large message, and lets the reader rest when its turn is over. */
  readonly reader: (reader: LargeReader) => (bytes: number) => void
}

/** `nextTurn` calls back in the next turn of the event loop. */
export const makeLargeReads = (nextTurn: (begin: () => void) => void = setImmediate): LargeReads => {
  const resting: Array<LargeReader> = []

  const beginTurn = (): void => {
    const awake = resting.splice(0, SESSIONS_A_TURN)
    if (resting.length > 0) nextTurn(beginTurn)
    for (const { wake } of awake) wake()
  }

  return {
    reader: (reader) => {
      let read = 0
      return (bytes) => {
        read += bytes
        if (read < TURN_BYTES) return
        read = 0
        reader.rest()
        if (resting.push(reader) === 1) nextTurn(beginTurn)
      }
    },
  }
}
