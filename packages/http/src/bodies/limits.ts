/** What the bodies of all requests of a process may take together, and how fast they have to come. */

const KB = 1024
const MB = 1024 * KB

/** Bodies of known accounts and of the operator, in bytes. One account alone gets half of it. */
export const ACCOUNTS_MAX_BYTES = 256 * MB

/** Bodies of callers that nobody knows, in bytes. One address alone gets half of it. */
export const ANONYMOUS_MAX_BYTES = 8 * MB

/** What a body costs however small it is: the socket's buffers. */
export const BODY_MIN_BYTES = 16 * KB

/** Seconds after which a refused caller should try again. */
export const BUSY_RETRY_AFTER = 2

/** Milliseconds that a body may take before its rate counts. */
export const ACCOUNT_BODY_GRACE = 20_000
export const ANONYMOUS_BODY_GRACE = 10_000

/** Bytes a second that a body has to come with, on average, once the grace is over (0.5 Mbit/s). */
export const BODY_MIN_RATE = 64 * KB

/** Milliseconds between two looks at the bodies that are under way. */
export const BODY_CHECK_INTERVAL = 1_000

/** A JSON body may be nested so deep: half of it is more than any endpoint takes. */
export const JSON_MAX_DEPTH = 32

/** Bytes outside of strings that a JSON body may have for each value its endpoint takes: brackets, numbers, indentation. */
export const JSON_VALUE_MAX_BYTES = 64

/** The headers of one part of a form, in bytes: a file name of 255 characters has at most a few kB. */
export const PART_HEADERS_MAX_BYTES = 8 * KB

/** Fields of an urlencoded form. */
export const FORM_MAX_FIELDS = 200

/** An urlencoded form as a whole, and a field of a multipart form that is no file, in bytes. */
export const FORM_FIELD_MAX_BYTES = 64 * KB

/** The rest of a refused body that is read and thrown away before the connection closes: bytes, milliseconds. */
export const DISCARDED_MAX_BYTES = 176 * MB
export const DISCARDED_MAX_MILLIS = 30_000
