/**
 * Redirects, which the client does not follow: `fetch` would make a GET of a POST (301, 302), so that nothing is done, and would leave out
 * the key at another origin.
 */

const STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Whether the redirect of an operation is followed. That of a download leads to the store of the files. */
export const followsRedirects = (operationPath: string): boolean =>
  operationPath === "/v1/attachments/{id}/content"

/** Whether a response is a redirect. Browsers show one that they did not follow with the status 0. */
export const isRedirect = (status: number): boolean => status === 0 || STATUSES.has(status)

/**
 * Where a redirect leads: the base URL there if the path stays the same, else the origin. Undefined without a `Location`, which browsers
 * hide, and for one that is no URL.
 */
const targetOf = (baseUrl: string, url: string, location: string | null): string | undefined => {
  if (location === null || !URL.canParse(location, url)) return undefined
  const { origin, pathname } = new URL(location, url)
  const [path = ""] = url.slice(baseUrl.length).split("?", 1)
  const target = `${origin}${pathname}`
  return target.endsWith(path) ? target.slice(0, -path.length) : origin
}

/** The message of the error. `url`: that of the request, which begins with `baseUrl`. */
export const redirectMessage = (baseUrl: string, url: string, location: string | null): string => {
  const target = targetOf(baseUrl, url, location)
  return target === undefined
    ? `${baseUrl} redirects to another address, and the client does not follow. Set \`baseUrl\` to the URL of the service.`
    : `${baseUrl} redirects to ${target}, and the client does not follow. If the service is there, set \`baseUrl\` to that URL.`
}
