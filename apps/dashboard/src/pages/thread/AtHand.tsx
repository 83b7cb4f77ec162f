/** One-time codes and links of a message, ready to be copied. */
import type { Message } from "@mailroom/client"
import type { JSX } from "preact"
import { CopyButton } from "../../components/Copy.js"
import { linkOf } from "../../components/htmlMail/allowed.js"
import { countText } from "../../rules/texts.js"

/** A link of a mail may have a scheme that is not followed, such as `javascript:`; its text can be copied all the same. */
const Link = ({ url }: { url: string }): JSX.Element => {
  const href = linkOf(url)
  return href === null ? (
    <span>{url}</span>
  ) : (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {url}
    </a>
  )
}

export const AtHand = ({ message: { codes, links } }: { message: Message }): JSX.Element | null => {
  if (codes.length === 0 && links.length === 0) return null
  return (
    <div class="at-hand">
      {codes.map(({ code, context }) => (
        <span key={code} class="code-chip" title={context}>
          <code aria-label={`Code ${code}`}>{code}</code>
          <CopyButton text={code} label={`Copy the code ${code}`} />
        </span>
      ))}
      {links.length > 0 && (
        <details class="link-list">
          <summary>{countText(links.length, "link")}</summary>
          <ul>
            {links.map(({ url, text }) => (
              <li key={url}>
                <span class="link-texts">
                  {text !== url && <span dir="auto">{text}</span>}
                  <Link url={url} />
                </span>
                <CopyButton text={url} label={`Copy the link ${text}`} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}
