/** Who is signed in: the state of the session, and the account with it. */
import type { Account } from "@mailroom/client"
import { computed, signal } from "@preact/signals"
import { mailroom, onSignedOut } from "./client.js"
import { freshKey } from "./freshKey.js"
import { forgetLoaded } from "./resource.js"
import { readStored, store } from "./storage.js"

export type Session =
  | { readonly state: "unknown" }
  | { readonly state: "out" }
  | { readonly state: "in"; readonly account: Account }
  /** the account could not be read */
  | { readonly state: "failed"; readonly error: unknown }

/**
 * The cookie cannot be read by scripts. This text says that there may be one, so that a page for strangers need not ask the
 * service and get a 401.
 */
const SEEN = "signed-in"

export const session = signal<Session>(
  readStored("local", SEEN) === "yes" ? { state: "unknown" } : { state: "out" },
)

/** The account of the session; null while nobody is signed in. */
export const account = computed(() => (session.value.state === "in" ? session.value.account : null))

/** The session has ended at the service: forgets it here. */
export const leaveSession = (): void => {
  store("local", SEEN, null)
  freshKey.value = null
  forgetLoaded()
  session.value = { state: "out" }
}

onSignedOut(leaveSession)

/** The account changed: by this page, or as an answer of the service told. */
export const setAccount = (changed: Account): void => {
  session.value = { state: "in", account: changed }
}

/** Reads the account. Afterwards the session is known, unless the service cannot be reached. */
export const loadSession = async (): Promise<void> => {
  if (session.value.state === "failed") session.value = { state: "unknown" }
  try {
    setAccount(await mailroom.account.get())
  } catch (error) {
    // A 401 has already ended the session; an account on the screen stays there while the service is away.
    if (session.value.state === "unknown") session.value = { state: "failed", error }
  }
}

/** Fails with a MailroomError when email and password do not match. */
export const signIn = async (email: string, password: string): Promise<void> => {
  await mailroom.session.signIn({ email, password })
  store("local", SEEN, "yes")
  forgetLoaded()
  setAccount(await mailroom.account.get())
}

/** Ends the session here and at the service. */
export const signOut = async (): Promise<void> => {
  await mailroom.session.signOut()
  leaveSession()
}
