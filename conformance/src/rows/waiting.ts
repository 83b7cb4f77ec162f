/** Rows without a test yet, and what they wait for. A test fails when this is not exactly what is missing. */
export const waiting: Readonly<Record<string, string>> = {}
