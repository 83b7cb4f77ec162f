/** What is read while writing: the message that is answered or forwarded, folded, and the formatted version of the draft. */
import type { JSX } from "preact"
import { HtmlMail } from "../../components/htmlMail/HtmlMail.js"
import { Time } from "../../components/Values.js"
import type { Composition } from "./Composition.js"

/** Written elsewhere, such as by an agent. */
const FormattedVersion = ({ html }: { html: string }): JSX.Element => (
  <details class="card fold" open>
    <summary>
      <strong>Formatted version</strong>
      <span class="faint">Most readers see this one. Changing the text above drops it.</span>
    </summary>
    <HtmlMail html={html} label="Formatted version of the draft" />
  </details>
)

export const BesideMessage = ({ composition }: { composition: Composition }): JSX.Element => {
  const { message } = composition.beginning
  const { html, quoted } = composition.writing.value
  const isForward = quoted !== null
  return (
    <>
      {html !== null && <FormattedVersion html={html} />}
      {message !== null && (
        <details class="card fold" open={isForward}>
          <summary>
            <strong>{isForward ? "Forwarded with it" : "You answer"}</strong>
            <span class="faint clip">
              <bdi>{message.fromName ?? message.fromAddress}</bdi>, <Time at={message.createdAt} />
            </span>
          </summary>
          <div class="mail-text" dir="auto">
            {message.bodyText ?? ""}
          </div>
        </details>
      )}
    </>
  )
}
