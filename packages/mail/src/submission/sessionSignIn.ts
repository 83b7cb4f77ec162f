/** The sign-in of one SMTP session (RFC 4954): AUTH, the lines that follow it, and whether MAIL may follow. */
import { ADDRESS_COMMAND_LINE_MAX } from "@mailroom/domain"
import { Exit } from "effect"
import {
  alreadySignedIn,
  needsEncryption,
  needsSignIn,
  needsTls,
  type Reply,
  signedIn,
  signInFailedForNow,
  signInTooLong,
} from "../receiving/replies.js"
import { type AuthStep, beginAuth, type Credentials } from "./authExchange.js"

export interface SessionSignIn {
  /** AUTH. `words`: those after the command. */
  readonly begin: (words: ReadonlyArray<string>) => void
  /** Whether the next line belongs to the sign-in. */
  readonly isAsking: () => boolean
  /** The next line of the sign-in, and its length in bytes with its line end. */
  readonly proceed: (line: string, length: number) => void
  /** Why MAIL is refused; null when the client has signed in. */
  readonly needed: () => Reply | null
  /** Forgets the sign-in: TLS has begun (RFC 3207 §4.2). */
  readonly reset: () => void
}

export const makeSessionSignIn = (session: {
  /** Whether the client may send its password over this connection. */
  readonly isAllowed: () => boolean
  readonly send: (reply: Reply) => void
  /** Replies to an error of the client. */
  readonly fail: (reply: Reply) => void
  /** Checks the credentials. Answers null, or why the client is not signed in. */
  readonly check: (credentials: Credentials, answer: (exit: Exit.Exit<Reply | null>) => void) => void
  readonly onSignedIn: () => void
  /** The credentials are wrong: counts it, and replies. */
  readonly onRefused: (reply: Reply) => void
}): SessionSignIn => {
  let isSignedIn = false
  /** takes the next line of the sign-in; null: the next line is a command */
  let next: ((line: string) => AuthStep) | null = null

  const finish = (exit: Exit.Exit<Reply | null>): void => {
    if (Exit.isFailure(exit)) return session.send(signInFailedForNow)
    if (exit.value !== null) return session.onRefused(exit.value)
    isSignedIn = true
    session.onSignedIn()
    session.send(signedIn)
  }

  const take = (step: AuthStep): void => {
    next = step.kind === "ask" ? step.next : null
    if (step.kind === "ask") session.send(step.reply)
    else if (step.kind === "failed") session.fail(step.reply)
    else session.check(step, finish)
  }

  return {
    begin: (words) => {
      if (isSignedIn) session.fail(alreadySignedIn)
      else if (!session.isAllowed()) session.fail(needsEncryption)
      else take(beginAuth(words))
    },
    isAsking: () => next !== null,
    proceed: (line, length) => {
      const step = next
      next = null
      if (length > ADDRESS_COMMAND_LINE_MAX) session.fail(signInTooLong)
      else if (step !== null) take(step(line))
    },
    needed: () => {
      if (isSignedIn) return null
      return session.isAllowed() ? needsSignIn : needsTls
    },
    reset: () => {
      isSignedIn = false
      next = null
    },
  }
}
