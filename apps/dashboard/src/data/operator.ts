/** The operator's session: the admin token, which this tab alone keeps. */
import type { Mailroom } from "@mailroom/client"
import { computed, signal } from "@preact/signals"
import { operatorClient } from "./client.js"
import { readStored, store } from "./storage.js"

const TOKEN = "admin-token"

const token = signal<string | null>(readStored("session", TOKEN))

/** The client of the operator's routes; null while no token was given. */
export const operator = computed<Mailroom | null>(() =>
  token.value === null ? null : operatorClient(token.value),
)

/** Fails with a MailroomError when the token is wrong. */
export const enterOperator = async (given: string): Promise<void> => {
  await operatorClient(given).admin.stats()
  store("session", TOKEN, given)
  token.value = given
}

export const leaveOperator = (): void => {
  store("session", TOKEN, null)
  token.value = null
}
