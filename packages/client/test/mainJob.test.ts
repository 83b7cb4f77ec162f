/** The main job of an agent, by the client, on the service in memory. */
import { expect, it } from "vitest"
import { startService } from "./support/service.js"

const service = startService()

it("a mailbox is made, mail is received, answered with a file, found and listed", async () => {
  const { mailroom } = await service.agent()
  const mailbox = await mailroom.mailboxes.create({ address: "sales" })
  await service.settle()

  const waiting = mailroom.messages.wait(mailbox.id, { subject: "order", timeout: 20 })
  await service.receive(mailbox.fullAddress, { subject: "My order", text: "Ten pencils, please." })
  const { message } = await waiting
  expect(message?.bodyText).toContain("Ten pencils")

  const sent = await mailroom.messages.reply(mailbox.id, message?.id ?? "", {
    bodyText: "They are on their way.",
    attachments: [{ filename: "bill.txt", contentType: "text/plain", content: new Blob(["10 €"]) }],
  })
  expect(sent.message?.attachments).toMatchObject([{ filename: "bill.txt", sizeBytes: 6 }])

  const found = await mailroom.messages.search(mailbox.id, { q: "pencils" })
  expect(found.items.map(({ id }) => id)).toEqual([message?.id])

  const subjects: Array<string> = []
  for await (const item of mailroom.messages.list(mailbox.id, { limit: 1 })) subjects.push(item.subject)
  expect(subjects).toEqual(["Re: My order", "My order"])
})

it("a draft takes files of every kind, beside ids of uploads and inline files", async () => {
  const { mailroom, mailboxId } = await service.agent()
  const named = (filename: string) => ({ filename, contentType: "text/plain" })
  const files = [
    { ...named("blob.txt"), content: new Blob(["1"]) },
    { ...named("bytes.txt"), content: new Uint8Array([49, 50]) },
    new File(["123"], "file.txt", { type: "text/plain" }),
  ]
  const { id } = await mailroom.attachments.upload(new File(["1234"], "upload.txt"))
  const sizes = (attachments: ReadonlyArray<{ readonly filename: string; readonly sizeBytes: number }>) =>
    attachments.map(({ filename, sizeBytes }) => `${filename} ${sizeBytes}`).toSorted()
  const all = ["blob.txt 1", "bytes.txt 2", "file.txt 3", "upload.txt 4"]
  const draft = await mailroom.drafts.create(mailboxId, { subject: "Files", attachments: [...files, id] })
  expect(sizes(draft.attachments)).toEqual(all)
  const inline = { ...named("inline.txt"), content: btoa("12345") }
  const other = await mailroom.drafts.create(mailboxId, { attachments: [...files, inline] })
  expect(sizes(other.attachments)).toEqual([...all.slice(0, 3), "inline.txt 5"])
})

it("an old mail is imported once, from text, bytes, a blob or a stream", async () => {
  const { mailroom, mailboxId } = await service.agent()
  const text = "From: ada@elsewhere.org\r\nDate: Fri, 5 Jan 2018 10:00:00 +0100\r\n\r\nHello"
  const blob = new Blob([text])
  const kinds = [text, new TextEncoder().encode(text), blob, blob.stream()]
  const statuses: Array<number> = []
  for (const mail of kinds) {
    const labels = ["archive", "2018"]
    const { data, response } = await mailroom.messages.import(mailboxId, mail, { labels }).withResponse()
    statuses.push(response.status)
    expect(data).toMatchObject({ labels, createdAt: "2018-01-05T09:00:00.000Z" })
  }
  expect(statuses).toEqual([201, 200, 200, 200])
})
