/** Whose session it is, when several tabs share a cookie. */
import type { Account } from "@mailroom/client"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import {
  account,
  answerWith,
  enterOperator,
  followOtherTabs,
  loadSession,
  session,
  setAccount,
} from "./support/withoutBrowser.js"

type Stored = (event: {
  readonly key: string
  readonly newValue: string | null
  readonly storageArea: object
}) => void

const answerOf = (id: string): Response => Response.json({ account: { id } })

/** Another tab signs in to an account, or out. */
let otherTab: (accountId: string | null) => void

beforeEach(() => {
  const kept = new Map<string, string>()
  const storageArea = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => kept.set(name, text),
    removeItem: (name: string) => kept.delete(name),
  }
  vi.stubGlobal("localStorage", storageArea)
  vi.stubGlobal("addEventListener", (_: string, listen: Stored) => {
    otherTab = (newValue) => listen({ key: "mailroom.signed-in", newValue, storageArea })
  })
  session.value = { state: "unknown" }
  followOtherTabs()
})

afterEach(() => {
  session.value = { state: "out" }
  vi.unstubAllGlobals()
})

it("another tab signs in to another account: nothing of the first is shown until the service says whose session it is", async () => {
  answerWith(() => answerOf("first"))
  await loadSession()
  expect(account.value?.id).toBe("first")
  answerWith(() => answerOf("second"))
  otherTab("second")
  expect(session.value.state).toBe("unknown")
  await expect.poll(() => account.value?.id).toBe("second")
})

it("another tab signs in to the account that is shown: it stays", async () => {
  answerWith(() => answerOf("first"))
  await loadSession()
  otherTab("first")
  expect(account.value?.id).toBe("first")
})

const shownAccount = (): Account => {
  if (account.value === null) throw new Error("Nobody is signed in.")
  return account.value
}

/** Loads the account, and gets the answer later. */
const loadLate = () => {
  let answer: (id: string) => void = () => undefined
  const late = new Promise<Response>((resolve) => {
    answer = (id) => resolve(answerOf(id))
  })
  answerWith(() => late)
  return { loading: loadSession(), answer }
}

it("a late answer that came with the cookie of before is not shown", async () => {
  const { loading, answer } = loadLate()
  answerWith(() => answerOf("second"))
  otherTab("second")
  await expect.poll(() => account.value?.id).toBe("second")
  answer("first")
  await loading
  expect(account.value?.id).toBe("second")
})

it("an answer to a change that is about another account is not shown before the service says whose session it is", async () => {
  answerWith(() => answerOf("first"))
  await loadSession()
  const shown = shownAccount()
  setAccount({ ...shown, sendingPaused: true })
  expect(account.value?.sendingPaused).toBe(true)
  answerWith(() => answerOf("second"))
  setAccount({ ...shown, id: "second" })
  expect(account.value?.id).toBe("first")
  await expect.poll(() => account.value?.id).toBe("second")
})

it("a late answer from before a change does not undo it", async () => {
  answerWith(() => answerOf("first"))
  await loadSession()
  const { loading, answer } = loadLate()
  setAccount({ ...shownAccount(), sendingPaused: true })
  answer("first")
  await loading
  expect(account.value?.sendingPaused).toBe(true)
})

it("what no header field can carry is left out of an admin token", async () => {
  vi.stubGlobal("location", { origin: "http://localhost:3000" })
  answerWith(() => Response.json({}))
  await expect(enterOperator(" the-admin-token…\n")).resolves.toBeUndefined()
})
