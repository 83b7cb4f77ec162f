/** What the server says of itself in the page. */

export interface ServiceSettings {
  /** where the API is, such as `https://mail.example.com` */
  readonly baseUrl: string
  /** the domain below which accounts have their subdomains */
  readonly platformDomain: string
  readonly billing: "simulated" | "stripe" | "none"
  readonly signup: "open" | "invite" | "closed"
  /** whether this client may read the development outbox */
  readonly outbox: boolean
  /** whether the operator takes requests for support */
  readonly support: boolean
}

const defaults = (): ServiceSettings => ({
  baseUrl: globalThis.location.origin,
  platformDomain: globalThis.location.hostname,
  billing: "none",
  signup: "open",
  outbox: false,
  support: false,
})

const read = (): ServiceSettings => {
  const content = document.querySelector('meta[name="mailroom"]')?.getAttribute("content")
  if (content === null || content === undefined) return defaults()
  const written: Partial<ServiceSettings> = JSON.parse(content)
  return { ...defaults(), ...written }
}

export const settings: ServiceSettings = read()
