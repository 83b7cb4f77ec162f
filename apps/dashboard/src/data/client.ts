/** The client of the public API, with the session cookie of this origin. */
import { Mailroom } from "@mailroom/client"

type Listener = () => void

let whenSignedOut: Listener = () => undefined

/** Sets what happens when the service does not accept the session any more. */
export const onSignedOut = (listener: Listener): void => {
  whenSignedOut = listener
}

/** A wrong password is no end of the session. */
const isSignIn = (url: string): boolean => url.includes("/api/auth/")

const send = async (url: string, init: RequestInit): Promise<Response> => {
  const response = await fetch(url, { ...init, credentials: "same-origin" })
  if (response.status === 401 && !isSignIn(url)) whenSignedOut()
  return response
}

/** Requests go to the address of the page, so that the cookie is sent, also where BASE_URL is another name of the service. */
export const mailroom = new Mailroom({ baseUrl: globalThis.location.origin, fetch: send, timeout: 30_000 })

/** A client for the operator's routes. */
export const operatorClient = (adminToken: string): Mailroom =>
  new Mailroom({ baseUrl: globalThis.location.origin, apiKey: adminToken, timeout: 30_000 })
