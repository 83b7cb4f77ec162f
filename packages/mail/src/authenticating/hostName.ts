/** Names that can have records. */

/** Of two labels at least, each of 1 to 63 characters (RFC 1035 §2.3.4). */
export const isHostName = (name: string): boolean => /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/i.test(name)
