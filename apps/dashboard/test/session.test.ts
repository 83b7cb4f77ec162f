/** Whose session it is, when several tabs share a cookie. */
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import {
  account,
  answerWith,
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

it("a late answer that came with the cookie of before is not shown", async () => {
  let answerLate: (answer: Response) => void = () => undefined
  const late = new Promise<Response>((resolve) => {
    answerLate = resolve
  })
  answerWith(() => late)
  const loading = loadSession()
  answerWith(() => answerOf("second"))
  otherTab("second")
  await expect.poll(() => account.value?.id).toBe("second")
  answerLate(answerOf("first"))
  await loading
  expect(account.value?.id).toBe("second")
})

it("an answer to a change that is about another account is not shown before the service says whose session it is", async () => {
  answerWith(() => answerOf("first"))
  await loadSession()
  const { value: shown } = account
  if (shown === null) throw new Error("no account")
  setAccount({ ...shown, sendingPaused: true })
  expect(account.value?.sendingPaused).toBe(true)
  answerWith(() => answerOf("second"))
  setAccount({ ...shown, id: "second" })
  expect(account.value?.id).toBe("first")
  await expect.poll(() => account.value?.id).toBe("second")
})
