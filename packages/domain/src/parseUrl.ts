/** Parses a URL; null when it is invalid. `URL.canParse` of Node 20 sometimes refuses a URL with a letter such as `ü`. */
export const parseUrl = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
