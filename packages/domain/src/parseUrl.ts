/** Reading URLs. */

/** The URL, or null. `URL.canParse` of Node 20 now and then refuses one with a letter such as `ü`. */
export const parseUrl = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
