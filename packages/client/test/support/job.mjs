/**
 * The main job of an agent by the client, in plain JavaScript for every runtime. `mailroom`: the client; the mailbox has a mail
 * from the owner with a file.
 */
export const mainJob = async (mailroom, { mailboxId, webhook }) => {
  const { account } = await mailroom.account.whoami()

  // What arrived, and its file.
  const { message } = await mailroom.messages.wait(mailboxId, { since: new Date(0), timeout: 20 })
  const [file] = message.attachments
  const download = await mailroom.attachments.download(file.id)
  const bytes = []
  const reader = download.body.getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) bytes.push(...part.value)

  // An answer with files of every kind.
  const stream = new Blob(["streamed"]).stream()
  const upload = await mailroom.attachments.upload({
    filename: "s.txt",
    contentType: "text/plain",
    content: stream,
  })
  const { message: answer } = await mailroom.messages.reply(mailboxId, message.id, {
    bodyText: "Thank you – grüße!",
    labels: ["answered"],
    headers: { "X-Custom-Run": "7" },
    attachments: [
      upload.id,
      new File([new Uint8Array([0, 255, 10])], "bytes.bin", { type: "application/octet-stream" }),
      { filename: "ü.txt", contentType: "text/plain", content: new Blob(["blob"]) },
    ],
  })
  const inline = { filename: "i.txt", contentType: "text/plain", content: btoa("inline"), contentId: "i" }
  const { message: second } = await mailroom.messages.reply(mailboxId, message.id, {
    bodyHtml: "<p>Once more</p>",
    attachments: [
      inline,
      { filename: "b.txt", contentType: "text/plain", content: new TextEncoder().encode("base64") },
    ],
  })

  // Events from the beginning, until both answers are sent.
  const kinds = []
  for await (const { event } of mailroom.events({ after: "" })) {
    kinds.push(event)
    if (kinds.filter((kind) => kind === "message.sent").length === 2) break
  }

  const subjects = []
  for await (const { subject } of mailroom.messages.list(mailboxId, { limit: 1 })) subjects.push(subject)

  const missing = await mailroom.mailboxes
    .get("01900000-0000-7000-8000-000000000000")
    .catch(({ name, code, status }) => ({ name, code, status }))

  const { event } = await mailroom.webhooks.unwrap(webhook.body, webhook.headers, webhook.secret)

  const names = ({ attachments }) => attachments.map(({ filename, sizeBytes }) => `${filename} ${sizeBytes}`)
  return {
    slug: account.slug,
    download: new TextDecoder().decode(new Uint8Array(bytes)),
    answer: names(answer),
    second: names(second),
    kinds,
    subjects,
    missing,
    webhook: event,
  }
}
