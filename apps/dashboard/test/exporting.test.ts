/** The mail of a mailbox as a file. */
import { afterEach, expect, it, vi } from "vitest"
import { message } from "./support/mails.js"
import { answerWith, exportMailbox, refusal } from "./support/withoutBrowser.js"

afterEach(() => void vi.unstubAllGlobals())

const listed = ["first", "deleted", "last"].map((id) => ({ ...message, id }))

const answered = (missing: Response) => (request: string) => {
  if (request.includes("/messages?"))
    return Response.json({ messages: listed, metadata: { hasMore: false, overLimitCount: 0 } })
  return request.includes("/deleted/") ? missing.clone() : new Response(`Subject: ${request}\r\n\r\nText\r\n`)
}

const exported = (onProgress: (mails: number) => void): Promise<Blob> =>
  exportMailbox({ id: message.mailboxId }, onProgress, new AbortController().signal)

it("leaves out a message that is deleted while its mailbox is exported", async () => {
  answerWith(answered(refusal(404, "MESSAGE_NOT_FOUND")))
  const counts: Array<number> = []
  const text = await (await exported((mails) => counts.push(mails))).text()
  expect(text.match(/^Subject: .*$/gm)).toHaveLength(2)
  expect(counts).toEqual([2])
})

it("fails when the mailbox itself is deleted meanwhile, instead of saving a part of it", async () => {
  answerWith(answered(refusal(404, "MAILBOX_NOT_FOUND")))
  await expect(exported(() => undefined)).rejects.toMatchObject({ code: "MAILBOX_NOT_FOUND" })
})
