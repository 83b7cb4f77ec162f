/** No connection, or none any more. The driver says so in words alone; this is its SQLSTATE. */
class ConnectionLost extends Error {
  readonly code = "08006"
}

/** The driver's words for it: a connection that was closed, refused or broken, and an answer that did not come. */
const WORDS = /^(?:Connection terminated|Client (?:was closed|has encountered)|timeout |Query read timeout)/

/** The same error, with a code where the driver gives none. */
export const withCode = (error: unknown): unknown =>
  error instanceof Error && !("code" in error) && WORDS.test(error.message)
    ? new ConnectionLost(error.message, { cause: error })
    : error
