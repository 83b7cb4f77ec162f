/** A service in memory for clients: its HTTP application answers them without a socket, on the real clock. */
import { Engine } from "@mailroom/engine"
import { InMemoryHttp } from "@mailroom/testing"
import { Effect, ManagedRuntime } from "effect"
import { afterAll } from "vitest"
import { owner } from "../../../http/test/support/accounts.js"
import { type Incoming, receive } from "../../../http/test/support/mail.js"
import { type Fetch, Mailroom, type MailroomOptions } from "@mailroom/client"

export const BASE_URL = "http://mailroom.test"

export interface Agent {
  readonly mailroom: Mailroom
  readonly mailboxId: string
  readonly address: string
  readonly key: string
}

/** A service for the tests of a file. */
export const startService = () => {
  const runtime = ManagedRuntime.make(InMemoryHttp.layer())
  afterAll(() => runtime.dispose())
  const run = <A, E>(effect: Effect.Effect<A, E, ManagedRuntime.ManagedRuntime.Context<typeof runtime>>) =>
    runtime.runPromise(effect)
  const fetch: Fetch = (url, init) =>
    run(Effect.flatMap(InMemoryHttp, (http) => Effect.promise(() => http.fetch(url, init))))
  let accounts = 0
  return {
    run,
    fetch,
    /** A client of this service. */
    client: (options: MailroomOptions = {}) => new Mailroom({ baseUrl: BASE_URL, fetch, ...options }),
    /** A paying account with its first mailbox, and a client of its key. */
    agent: async (options: MailroomOptions = {}): Promise<Agent> => {
      const { key, mailboxId, address } = await run(owner("active", `agent${++accounts}`))
      const mailroom = new Mailroom({ baseUrl: BASE_URL, apiKey: key, fetch, ...options })
      return { mailroom, mailboxId, address, key }
    },
    /** Mails arrive at an address. */
    receive: (address: string, ...mails: ReadonlyArray<Incoming>) => run(receive(address, mails)),
    /** Background work is done. */
    settle: () => run(Engine.settle),
  }
}
