/** The limits of request bodies: bytes of a process together, rates, nesting. */

const KB = 1024
const MB = 1024 * KB

/** Bodies of known accounts and of the operator, in bytes. One account alone gets half of it. */
export const ACCOUNTS_MAX_BYTES = 256 * MB

/** Bodies of callers without credentials, in bytes. One address alone gets half of it. */
export const ANONYMOUS_MAX_BYTES = 8 * MB

/** Bytes that a body counts at least: the socket's buffers. */
export const BODY_MIN_BYTES = 16 * KB

/** Seconds until a refused caller may try again. */
export const BUSY_RETRY_AFTER = 2

/** Milliseconds that a body may take before its rate counts. */
export const ACCOUNT_BODY_GRACE = 20_000
export const ANONYMOUS_BODY_GRACE = 10_000

/** Bytes a second that a body needs on average once the grace is over (0.5 Mbit/s). */
export const BODY_MIN_RATE = 64 * KB

/** Milliseconds between two checks of the rates. */
export const BODY_CHECK_INTERVAL = 1_000

/** Levels that a JSON body may be nested. No endpoint takes half of it. */
export const JSON_MAX_DEPTH = 32

/** Bytes outside of strings that a JSON body may have for each value its endpoint takes: brackets, numbers, indentation. */
export const JSON_VALUE_MAX_BYTES = 64

/** The headers of one part of a form, in bytes: a file name of 255 characters has at most a few kB. */
export const PART_HEADERS_MAX_BYTES = 8 * KB

/** Fields of an urlencoded form. */
export const FORM_MAX_FIELDS = 200

/** An urlencoded form as a whole, and a field of a multipart form that is no file, in bytes. */
export const FORM_FIELD_MAX_BYTES = 64 * KB

/** The rest of a refused body that is discarded before the connection closes, in bytes and in milliseconds. */
export const DISCARDED_MAX_BYTES = 176 * MB
export const DISCARDED_MAX_MILLIS = 30_000
