/** How far to believe a received message: in words, with the facts for engineers in a fold. */
import type { Message } from "@mailroom/client"
import type { JSX } from "preact"
import { Icon, type IconName } from "../../components/Icon.js"
import { Facts } from "../../components/Page.js"
import { fullTime } from "../../rules/texts.js"
import { spamWords, type Tone, trustWords } from "../../rules/trust.js"

const toneIcons: Readonly<Record<Tone, IconName>> = {
  neutral: "shield",
  accent: "shield",
  good: "check",
  warn: "warning",
  bad: "warning",
}

const headerLines = ({ headers }: Message): string =>
  Object.entries(headers)
    .flatMap(([name, value]) => (typeof value === "string" ? [value] : value).map((one) => `${name}: ${one}`))
    .join("\n")

export const Details = ({ message }: { message: Message }): JSX.Element => {
  const { authentication, spam } = message
  const { mailboxId, id } = message
  const facts = [
    { name: "From", value: message.fromAddress },
    { name: "To", value: message.toAddresses.join(", ") },
    ...(message.ccAddresses.length > 0 ? [{ name: "Cc", value: message.ccAddresses.join(", ") }] : []),
    ...(message.bccAddresses.length > 0 ? [{ name: "Bcc", value: message.bccAddresses.join(", ") }] : []),
    ...(message.replyTo === null ? [] : [{ name: "Reply to", value: message.replyTo }]),
    ...(message.deliveredTo === null ? [] : [{ name: "Delivered to", value: message.deliveredTo }]),
    { name: "Time", value: fullTime(new Date(message.receivedAt ?? message.sentAt ?? message.createdAt)) },
    { name: "Message-ID", value: message.messageId },
    { name: "Id", value: id },
    ...(authentication === null
      ? []
      : [
          { name: "SPF", value: authentication.spf },
          { name: "DKIM", value: authentication.dkim },
          { name: "DMARC", value: authentication.dmarc },
          ...(authentication.arc === undefined ? [] : [{ name: "ARC", value: authentication.arc }]),
        ]),
    ...(spam === null
      ? []
      : [{ name: "Spam filter", value: `${spam.score}, ${spam.action}: ${spam.symbols.join(", ")}` }]),
  ]
  return (
    <details class="message-details">
      <summary>Details</summary>
      <Facts facts={facts} />
      <pre class="raw-headers" tabIndex={0} aria-label="Headers">
        {headerLines(message)}
      </pre>
      <p>
        <a
          href={`/v1/mailboxes/${encodeURIComponent(mailboxId)}/messages/${encodeURIComponent(id)}/raw?include=quarantined`}
          download={`${id}.eml`}
        >
          Download the raw mail
        </a>
      </p>
    </details>
  )
}

export const SafetyWords = ({ message }: { message: Message }): JSX.Element | null => {
  const trust = trustWords(message)
  if (trust === null) return null
  const spam = spamWords(message)
  const sentences = [...trust.reasons, ...(spam === null ? [] : [spam])]
  return (
    <div class={`safety ${trust.tone}`}>
      <Icon name={toneIcons[trust.tone]} size={16} />
      <div>
        <p>{trust.text}</p>
        {sentences.length > 0 && (
          <ul>
            {sentences.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}
