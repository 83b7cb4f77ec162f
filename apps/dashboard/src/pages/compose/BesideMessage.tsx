/** The message that is answered or forwarded, folded, to read while writing. */
import type { JSX } from "preact"
import { Time } from "../../components/Values.js"
import type { Composition } from "./Composition.js"

export const BesideMessage = ({ composition }: { composition: Composition }): JSX.Element | null => {
  const { message } = composition.beginning
  if (message === null) return null
  const isForward = composition.writing.value.quoted !== null
  return (
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
  )
}
