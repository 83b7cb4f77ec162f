/**
 * Redirects, which the client does not follow: `fetch` would make a GET of a POST (301, 302), so that nothing is done, and would leave out
 * the key at another origin.
 */

/** Whether the redirect of an operation is followed. That of a download leads to the store of the files. */
export const followsRedirects = (operationPath: string): boolean =>
  operationPath === "/v1/attachments/{id}/content"

/** Whether a response is a redirect. Browsers show one that they did not follow with the status 0. */
export const isRedirect = (status: number): boolean =>
  status === 0 || (status >= 300 && status < 400 && status !== 304)

/**
 * Where a redirect leads: the base URL there if the path stays the same, else the origin. Not told without a `Location`, which browsers
 * hide, and for one that is no URL.
 */
const targetOf = (baseUrl: string, url: string, location: string | null): string => {
  if (location === null || !URL.canParse(location, url)) return "another address"
  const { origin, pathname } = new URL(location, url)
  const [path = ""] = url.slice(baseUrl.length).split("?", 1)
  const target = `${origin}${pathname}`
  return target.endsWith(path) ? target.slice(0, -path.length) : origin
}

/** The message of the error. `url`: that of the request, which begins with `baseUrl`. */
export const redirectMessage = (baseUrl: string, url: string, location: string | null): string =>
  `${baseUrl} redirects to ${targetOf(baseUrl, url, location)}, and the client does not follow. If the service is there, set \`baseUrl\` to that URL.`
