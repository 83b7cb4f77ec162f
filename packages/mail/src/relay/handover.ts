/** The moment after which a mail may have been sent (RFC 5321 §4.1.1.4): the relay delivers none whose end never came. */

export interface Handover {
  /** Before the end of the mail is written. False when the mail was called off: then it must not be. */
  readonly giveEnd: () => boolean
  /** Whether the end was given. From now on it is not. */
  readonly callOff: () => boolean
  readonly isEndGiven: () => boolean
  /** The relay said that it did not take it. */
  readonly refused: () => void
}

/** One for each mail, however often it is tried. */
export const handover = (): Handover => {
  let state: "open" | "end given" | "called off" = "open"
  return {
    giveEnd: () => {
      if (state === "open") state = "end given"
      return state === "end given"
    },
    callOff: () => {
      if (state === "open") state = "called off"
      return state === "end given"
    },
    isEndGiven: () => state === "end given",
    refused: () => {
      if (state === "end given") state = "open"
    },
  }
}
