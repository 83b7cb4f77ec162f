/**
 * Limits of SMTP sessions: how many there may be, how long they may be idle, and when a client is slowed down or
 * refused. All durations are milliseconds. The models are Postfix's `smtpd_*_limit` settings and its stress mode
 * (postconf(5), STRESS_README).
 */
import { MINUTE, SECOND } from "../durations.js"

/** maximal sessions of one process */
export const SMTP_SESSIONS_MAX = 1000
/** sessions of one host: an IPv4 address or an IPv6 /64 */
export const SMTP_SESSIONS_PER_HOST = 50
/** sessions of one site: an IPv4 /24 or an IPv6 /56 */
export const SMTP_SESSIONS_PER_SITE = 150
/** idle time after which a session is closed (RFC 5321 §4.5.3.2.7) */
export const SMTP_IDLE_TIMEOUT = 5 * MINUTE

/** bytes of a command line with its CRLF (RFC 5321 §4.5.3.1.4) */
export const COMMAND_LINE_MAX = 512
/** bytes of a MAIL or RCPT line: extensions add parameters and UTF-8 addresses (Postfix `line_length_limit`) */
export const ADDRESS_COMMAND_LINE_MAX = 2048
/** a session that sends more bytes than this without a line end is closed */
export const COMMAND_LINE_ABUSE = 16 * 1024

/** recipients of one mail (RFC 5321 §4.5.3.1.8 asks for at least 100); a mail that is sent by the API has fewer: `RECIPIENTS_MAX_COUNT` */
export const SMTP_RECIPIENTS_MAX = 100

/** commands without effect (NOOP, RSET, VRFY, HELP, another EHLO) between two mails (Postfix `smtpd_junk_command_limit`) */
export const JUNK_COMMANDS_MAX = 100
/** errors between two mails whose replies are not delayed (Postfix `smtpd_soft_error_limit`) */
export const UNDELAYED_ERRORS = 10
/** the session is closed at this many errors between two mails (Postfix `smtpd_hard_error_limit`) */
export const ERRORS_MAX = 20
/** the longest that one reply is held back */
export const REPLY_DELAY_MAX = 10 * SECOND
/** sessions whose reply is held back at one time; a further session is closed instead */
export const DELAYED_SESSIONS_MAX = 100

/** Under stress: a session that brought no recipient or mail for this long is closed. */
export const STRESS_PROGRESS_TIMEOUT = 10 * SECOND
/** Under stress: hosts and sites may have this share of their sessions. */
const STRESS_SHARE = 1 / 5

/** Whether a process is under stress: it has three quarters of its sessions, so idle ones are closed early. */
export const isStressed = (open: number, max: number): boolean => open >= max * (3 / 4)

/** How many sessions a host or a site may have: `granted`, and a fifth of that under stress, but at least one. */
export const sessionShare = (granted: number, stressed: boolean): number =>
  stressed ? Math.max(1, Math.floor(granted * STRESS_SHARE)) : granted

/** How long the reply to the n-th error since the last mail is held back: one second more for each. */
export const errorDelay = (errors: number): number =>
  Math.min(REPLY_DELAY_MAX, Math.max(0, errors - UNDELAYED_ERRORS) * SECOND)

/**
 * Recipients that do not exist, counted for a network over time. The score rises by one for each, falls by
 * `perMinute`, and by a tenth for each mail that is accepted: a provider that sends much mail also has more mail for
 * mailboxes that are gone.
 */
export interface GuessScore {
  readonly score: number
  /** epoch milliseconds of `score` */
  readonly at: number
}

export interface GuessLimit {
  /** replies to wrong recipients are delayed above this score */
  readonly delayed: number
  /** the network's sessions are refused from this score on */
  readonly refused: number
  readonly perMinute: number
}

/** of one host: a hundred guesses at once, then ten a minute */
export const HOST_GUESSES: GuessLimit = { delayed: 20, refused: 100, perMinute: 10 }
/** of one site */
export const SITE_GUESSES: GuessLimit = { delayed: 80, refused: 400, perMinute: 40 }
/** points that one accepted mail takes off: ten mails make up for one guess */
export const ACCEPTED_MAIL_CREDIT = 0.1

export const noGuesses: GuessScore = { score: 0, at: 0 }

/** The score at a later instant. */
export const guessesAt = ({ score, at }: GuessScore, now: number, { perMinute }: GuessLimit): number =>
  Math.max(0, score - (Math.max(0, now - at) * perMinute) / MINUTE)

/** The score after a change. It is capped, so that a refused network is accepted again after a minute without guesses. */
export const withGuesses = (
  before: GuessScore,
  change: number,
  now: number,
  limit: GuessLimit,
): GuessScore => ({
  score: Math.min(limit.refused + limit.perMinute, Math.max(0, guessesAt(before, now, limit) + change)),
  at: now,
})

/** How long the reply to a wrong recipient is held back, rising evenly to `REPLY_DELAY_MAX` at the refusing score. */
export const guessDelay = (score: number, { delayed, refused }: GuessLimit): number =>
  Math.round(REPLY_DELAY_MAX * Math.min(1, Math.max(0, (score - delayed) / (refused - delayed))))
