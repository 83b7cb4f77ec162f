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
