/** Values that rows have in common. */

/** Somebody at another host, to write to. */
export const BOB = "bob@partner.dev"

export const MB = 1024 * 1024
export const GB = 1024 * MB

/** The type of a file that is only bytes. */
export const binary = "application/octet-stream"
