/** Who is signed in: the state of the session, and the account with it. */
import type { Account } from "@mailroom/client"
import { computed, signal } from "@preact/signals"
import { mailroom, onSignedOut } from "./client.js"
import { freshKey } from "./freshKey.js"
import { forgetLoaded } from "./resource.js"
import { onStoredElsewhere, readStored, store } from "./storage.js"

export type Session =
  | { readonly state: "unknown" }
  | { readonly state: "out" }
  | { readonly state: "in"; readonly account: Account }
  /** the account could not be read */
  | { readonly state: "failed"; readonly error: unknown }

/**
 * The id of the account that this browser is signed in to. Scripts cannot read the cookie: the id says that there may be one, so that
 * a page for strangers need not ask the service and get a 401, and tells other tabs that the cookie is of another account now.
 */
const SEEN = "signed-in"

export const session = signal<Session>(
  readStored("local", SEEN) === null ? { state: "out" } : { state: "unknown" },
)

/** The account of the session; null while nobody is signed in. */
export const account = computed(() => (session.value.state === "in" ? session.value.account : null))

/** Forgets what belongs to the account that was shown. */
const forget = (): void => {
  freshKey.value = null
  forgetLoaded()
}

/** The session has ended at the service: forgets it here. */
export const leaveSession = (): void => {
  store("local", SEEN, null)
  forget()
  session.value = { state: "out" }
}

onSignedOut(leaveSession)

/** The service says that the session is of this account. */
const enter = (found: Account): void => {
  if (account.value?.id !== found.id) {
    forget()
    store("local", SEEN, found.id)
  }
  session.value = { state: "in", account: found }
}

/** Answers to earlier requests than the last are not shown: they may have come with another cookie, or before a change. */
let loads = 0

/** Reads the account. Afterwards the session is known, unless the service cannot be reached. */
export const loadSession = async (): Promise<void> => {
  const load = ++loads
  if (session.value.state === "failed") session.value = { state: "unknown" }
  try {
    const found = await mailroom.account.get()
    if (load === loads) enter(found)
  } catch (error) {
    // A 401 has already ended the session; an account on the screen stays there while the service is away.
    if (load === loads && session.value.state === "unknown") session.value = { state: "failed", error }
  }
}

/** The account was changed by this page. An answer about another one has come with the cookie of another tab. */
export const setAccount = (changed: Account): void => {
  if (changed.id !== account.value?.id) {
    void loadSession()
    return
  }
  // What is being read may be from before the change, such as that sending is not paused.
  loads++
  session.value = { state: "in", account: changed }
}

/**
 * Begins anew when another tab of this browser signs in or out. All tabs have one cookie: what is chosen in a page of the account
 * before, such as to delete it, would be done to the other account. Called once.
 */
export const followOtherTabs = (): void =>
  onStoredElsewhere(SEEN, (accountId) => {
    if (accountId === (account.value?.id ?? null)) return
    forget()
    session.value = { state: "unknown" }
    void loadSession()
  })

/** Fails with a MailroomError when email and password do not match. */
export const signIn = async (email: string, password: string): Promise<void> => {
  await mailroom.session.signIn({ email, password })
  enter(await mailroom.account.get())
}

/** Ends the session here and at the service. */
export const signOut = async (): Promise<void> => {
  await mailroom.session.signOut()
  leaveSession()
}
