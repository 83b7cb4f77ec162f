/** What the message says: formatted, as plain text, or only what is new in it. */
import type { Message } from "@mailroom/client"
import type { JSX } from "preact"
import { HtmlMail, PlainMail } from "../../components/htmlMail/HtmlMail.js"
import { type Tab, Tabs } from "../../components/Tabs.js"
import { mailroom } from "../../data/client.js"
import { provenSender } from "../../rules/trust.js"

/** The file of the message that an image of its HTML names. */
const inlineImage =
  ({ attachments, quarantined }: Message) =>
  async (contentId: string, signal: AbortSignal): Promise<Blob | null> => {
    const file = attachments.find((one) => one.contentId === contentId)
    return file === undefined || quarantined !== null
      ? null
      : (await mailroom.attachments.download(file.id, { signal })).blob()
  }

export const MessageBody = ({ message }: { message: Message }): JSX.Element => {
  const { bodyHtml, bodyText, extractedText, fromAddress } = message
  const text = bodyText ?? ""
  const tabs: ReadonlyArray<Tab> = [
    ...(bodyHtml === null
      ? []
      : [
          {
            name: "mail",
            label: "Formatted",
            content: () => (
              <HtmlMail
                html={bodyHtml}
                text={bodyText}
                label={`Mail from ${fromAddress}`}
                sender={provenSender(message)}
                inlineImage={inlineImage(message)}
              />
            ),
          },
        ]),
    { name: "text", label: "Text", content: () => <PlainMail text={text} /> },
    ...(extractedText === null || extractedText.trim() === "" || extractedText.trim() === text.trim()
      ? []
      : [{ name: "new", label: "New text", content: () => <PlainMail text={extractedText} /> }]),
  ]
  if (bodyHtml === null && text.trim() === "") return <p class="faint">This message has no text.</p>
  return tabs.length === 1 ? (
    <PlainMail text={text} />
  ) : (
    <Tabs label="How to show the message" tabs={tabs} className="tabs message-tabs" />
  )
}
