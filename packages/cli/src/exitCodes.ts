/** The exit codes of the command; `docs/cli.md` documents them, and a test compares the two. */

export const exitCodes = {
  /** the command did its work */
  ok: 0,
  /** something else went wrong */
  failure: 1,
  /** the command line is wrong */
  usage: 2,
  /** the time was over, or there is no such thing */
  nothing: 3,
  /** the service refused the request */
  refused: 4,
  /** no key, or one that the service does not accept */
  signedOut: 5,
  /** the service cannot be reached, or is unavailable */
  unreachable: 6,
  /** interrupted by Ctrl-C, as shells count it: 128 and the number of the signal */
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
