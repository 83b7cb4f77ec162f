/** Paths of pages: matching them with patterns, and telling ours from others. */

export type Params = Readonly<Record<string, string>>

/** The parameters of a path by a pattern such as `/dashboard/mail/:mailboxId`; null when it does not match. */
export const matchPath = (pattern: string, path: string): Params | null => {
  const wanted = pattern.split("/")
  const given = path.replace(/\/+$/, "").split("/")
  if (wanted.length !== given.length) return null
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const text = given[index] ?? ""
    if (part.startsWith(":")) {
      const value = decoded(text)
      if (value === null || value === "") return null
      params[part.slice(1)] = value
    } else if (part !== text) return null
  }
  return params
}

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** Whether the dashboard shows the path, so that a link to it need not load another document. */
export const isPagePath = (path: string): boolean =>
  /^\/(?:signup|signin|verify|reset|onboarding)$/.test(path) || /^\/(?:dashboard|operator)(?:\/|$)/.test(path)

/**
 * Where to go after signing in: `next` when it is a page of the dashboard on this origin, else the dashboard. Anything that a
 * browser could read as another site (`//host`, `/\host`, `javascript:`, an encoded control character) is not.
 */
export const safeNext = (next: string | null, origin: string): string => {
  const fallback = "/dashboard"
  if (next === null || !next.startsWith("/") || /[\\\u0000-\u0020\u007f]/.test(next)) return fallback
  let url: URL
  try {
    url = new URL(next, origin)
  } catch {
    return fallback
  }
  const isPrivate = /^\/(?:onboarding$|(?:dashboard|operator)(?:\/|$))/.test(url.pathname)
  return url.origin === origin && isPrivate ? `${url.pathname}${url.search}${url.hash}` : fallback
}
