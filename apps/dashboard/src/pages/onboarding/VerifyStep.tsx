/** How to verify the owner's address; on a developer's machine, with the link of the mail that was not sent. */
import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { ResendButton } from "../../app/ResendButton.js"
import { LinkButton } from "../../components/Button.js"
import { settings } from "../../data/settings.js"
import { verificationLink } from "../../rules/outbox.js"

/** Milliseconds between two looks into the outbox. */
const LOOK = 1_500

/** The link in the verification mail, where this server keeps mail instead of sending it. */
const useOutboxLink = (email: string): string | null => {
  const [link, setLink] = useState<string | null>(null)
  useEffect(() => {
    if (!settings.outbox) return undefined
    const look = async () => {
      const response = await fetch(`/dev/outbox?to=${encodeURIComponent(email)}`)
      if (response.ok) setLink(verificationLink(await response.json(), globalThis.location.origin))
    }
    const repeated = () => void look().catch(() => undefined)
    repeated()
    const timer = setInterval(repeated, LOOK)
    return () => clearInterval(timer)
  }, [email])
  return link
}

export const VerifyStep = ({ email }: { email: string }): JSX.Element => {
  const link = useOutboxLink(email)
  return (
    <>
      <p>
        Open the link in the mail to <strong>{email}</strong> and press the button there. Your agents receive
        mail already; they send once you have done this.
      </p>
      <div class="step-actions">
        {link !== null && (
          <LinkButton kind="primary" href={link}>
            Open the link from the mail
          </LinkButton>
        )}
        <ResendButton email={email} />
      </div>
      {settings.outbox && (
        <p class="faint">
          This server has no relay and keeps its mail in the <a href="/dev/outbox">development outbox</a>.
        </p>
      )}
    </>
  )
}
