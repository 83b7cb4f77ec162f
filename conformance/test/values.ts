/** Values that several tests use. */

/** A recipient at another host. */
export const BOB = "bob@partner.dev"

export const MB = 1024 * 1024
export const GB = 1024 * MB

/** The content type of plain bytes. */
export const binary = "application/octet-stream"
