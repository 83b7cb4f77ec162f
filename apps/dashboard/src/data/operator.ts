/** The operator's session: the admin token, which this tab alone keeps. */
import { type Mailroom, MailroomError } from "@mailroom/client"
import { computed, signal } from "@preact/signals"
import { operatorClient } from "./client.js"
import { forgetLoaded } from "./resource.js"
import { readStored, store } from "./storage.js"

const TOKEN = "admin-token"

const token = signal<string | null>(readStored("session", TOKEN))

/** The client of the operator's routes; null while no token was given. */
export const operator = computed<Mailroom | null>(() =>
  token.value === null ? null : operatorClient(token.value),
)

/** Fails with a MailroomError when the token is wrong. What no header field can carry, such as a pasted space, is left out. */
export const enterOperator = async (given: string): Promise<void> => {
  const sent = given.replace(/[^!-~]+/g, "")
  await operatorClient(sent).admin.stats()
  store("session", TOKEN, sent)
  token.value = sent
}

/** The counters of the process that answers, in the text format of Prometheus. They are no part of the API. */
export const readCounters = async (signal: AbortSignal): Promise<string> => {
  const response = await fetch("/metrics", {
    signal,
    credentials: "omit",
    headers: { authorization: `Bearer ${token.value ?? ""}` },
  })
  if (!response.ok)
    throw new MailroomError("The counters cannot be read", {
      code: `HTTP_${response.status}`,
      status: response.status,
    })
  return response.text()
}

export const leaveOperator = (): void => {
  store("session", TOKEN, null)
  forgetLoaded()
  token.value = null
}
