/** The text of a mail as it leaves. A mail with a formatted and a plain version shows both: programs read the plain one. */
import type { DraftListItem } from "@mailroom/client"
import type { ComponentChildren, JSX } from "preact"
import { useState } from "preact/hooks"
import { HtmlMail } from "../../components/htmlMail/HtmlMail.js"
import { Skeleton } from "../../components/Notice.js"
import { Tabs } from "../../components/Tabs.js"
import { mailroom } from "../../data/client.js"
import { type MailPart, partsOf } from "../../rules/reviews.js"
import { SeenMark } from "./SeenMark.js"

interface MailBodyProps {
  readonly draft: DraftListItem
  /** called when a version was shown to its end */
  readonly onSeen: (part: MailPart) => void
}

const Sheet = ({ label, children }: { label: string; children: ComponentChildren }): JSX.Element => (
  <div class="mail-sheet" tabIndex={0} role="group" aria-label={label}>
    {children}
  </div>
)

const Plain = ({ text, onSeen }: { text: string; onSeen: () => void }): JSX.Element => (
  <Sheet label="Text of the mail">
    <div class="mail-text" dir="auto">
      {text === "" ? <span class="faint">The mail has no text.</span> : text}
    </div>
    <SeenMark onSeen={onSeen} />
  </Sheet>
)

const Formatted = ({ draft, onSeen }: { draft: DraftListItem; onSeen: () => void }): JSX.Element => {
  const [isShown, setShown] = useState(false)
  const { attachments, bodyHtml, bodyText, fromAddress } = draft
  return (
    <Sheet label="Formatted mail">
      <HtmlMail
        html={bodyHtml ?? ""}
        text={bodyText}
        label={`Mail that ${fromAddress} would send`}
        inlineImage={async (contentId, signal) => {
          const file = attachments.find((one) => one.contentId === contentId)
          return file === undefined ? null : (await mailroom.attachments.download(file.id, { signal })).blob()
        }}
        onShown={() => setShown(true)}
      />
      {isShown && <SeenMark onSeen={onSeen} />}
    </Sheet>
  )
}

const labels: Readonly<Record<MailPart, string>> = { html: "Formatted", text: "Plain text" }

export const MailBody = ({ draft, onSeen }: MailBodyProps): JSX.Element => {
  const { bodyText, digest } = draft
  if (draft.truncated === true)
    return (
      <div class="mail-sheet" role="status">
        <span class="visually-hidden">Loading</span>
        <Skeleton lines={8} />
      </div>
    )
  const shown: Readonly<Record<MailPart, () => JSX.Element>> = {
    html: () => <Formatted key={`html ${digest}`} draft={draft} onSeen={() => onSeen("html")} />,
    text: () => <Plain key={`text ${digest}`} text={bodyText ?? ""} onSeen={() => onSeen("text")} />,
  }
  const parts = partsOf(draft)
  const [only] = parts
  if (parts.length === 1 && only !== undefined) return shown[only]()
  return (
    <Tabs
      label="Versions of the mail"
      className="mail-versions"
      tabs={parts.map((part) => ({ name: part, label: labels[part], content: shown[part] }))}
    />
  )
}
