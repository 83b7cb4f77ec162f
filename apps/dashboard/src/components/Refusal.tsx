/** Why a mail was not sent, with a link to the page that helps. */
import type { JSX } from "preact"
import type { RefusalWords } from "../rules/refusals.js"
import { LinkButton } from "./Button.js"
import { Notice } from "./Notice.js"

export const Refusal = ({ words }: { words: RefusalWords }): JSX.Element => (
  <Notice
    kind="bad"
    title={words.title}
    actions={
      words.link && (
        <LinkButton size="small" href={words.link.href}>
          {words.link.label}
        </LinkButton>
      )
    }
  >
    {words.text}
  </Notice>
)
