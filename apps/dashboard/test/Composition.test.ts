/** A mail that is being written, and what becomes of it when the service refuses. */
import { emptyWriting } from "@mailroom/dashboard/rules/writing"
import { afterEach, describe, expect, it, vi } from "vitest"
import { draft, message } from "./support/mails.js"
import { answerWith, Composition, refusal } from "./support/withoutBrowser.js"

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const kept = draft({ status: "DRAFT", to: [], subject: null })

const compose = () =>
  new Composition({ mailboxId: kept.mailboxId, writing: emptyWriting, draft: kept, message: null })

/** The service, which notes the requests. */
const service = (removal: () => Response): ReadonlyArray<string> => {
  const methods: Array<string> = []
  answerWith((request) => {
    const [method = ""] = request.split(" ")
    methods.push(method)
    return method === "DELETE" ? removal() : Response.json({ draft: kept })
  })
  return methods
}

describe("discarding a mail", () => {
  it("that fails leaves it as it was: what is written then is saved, and missed when it is not", async () => {
    vi.useFakeTimers()
    const methods = service(() => refusal(403, "ACCOUNT_SUSPENDED"))
    const composition = compose()
    composition.change({ text: "Before" })
    await expect(composition.discard()).rejects.toMatchObject({ code: "ACCOUNT_SUSPENDED" })
    expect(composition.hasEnded.value).toBe(false)
    expect(composition.isDirty.value).toBe(true)
    await vi.runAllTimersAsync()
    expect(methods).toEqual(["DELETE", "PATCH"])
    expect(composition.state.value.kind).toBe("saved")
    composition.change({ text: "After" })
    expect(composition.isDirty.value).toBe(true)
  })

  it("ends it: nothing is saved any more, also of a file whose upload ends during the removal", async () => {
    vi.useFakeTimers()
    const methods = service(() => Response.json({ ok: true }))
    const composition = compose()
    const discarded = composition.discard()
    composition.change({ text: "During" })
    await discarded
    await vi.runAllTimersAsync()
    expect(methods).toEqual(["DELETE"])
    expect(composition.isDirty.value).toBe(false)
  })

  it("that is gone already succeeds", async () => {
    service(() => refusal(404, "DRAFT_NOT_FOUND"))
    const composition = compose()
    await composition.discard()
    expect(composition.hasEnded.value).toBe(true)
  })
})

describe("a draft that moves to another mailbox", () => {
  it("is removed from the first before the mail leaves, and is written once", async () => {
    const removals = [refusal(403, "ACCOUNT_SUSPENDED")]
    const requests: Array<string> = []
    const moved = { ...kept, id: "moved", mailboxId: "other" }
    answerWith((request) => {
      requests.push(request.replace(/\/v1\/mailboxes/, ""))
      if (request.startsWith("DELETE")) return removals.pop() ?? Response.json({ ok: true })
      return Response.json(request.endsWith("/send") ? { message } : { draft: moved })
    })
    const composition = compose()
    composition.moveTo("other")
    await expect(composition.send()).rejects.toMatchObject({ code: "ACCOUNT_SUSPENDED" })
    await composition.send()
    const removal = `DELETE /${kept.mailboxId}/drafts/${kept.id}`
    expect(requests).toEqual([
      "POST /other/drafts",
      removal,
      "PATCH /other/drafts/moved",
      removal,
      "POST /other/drafts/moved/send",
    ])
  })
})
