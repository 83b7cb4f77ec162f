/** A form that has a mail with a link sent to an address. The service does not say whether the address has an account. */
import type { ComponentChildren, JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../components/Button.js"
import { Form, TextField } from "../../components/Form.js"
import { Notice } from "../../components/Notice.js"
import { PageHead } from "../../components/Page.js"
import { useAction } from "../../data/action.js"

interface MailLinkProps {
  readonly title: string
  readonly lead: string
  /** the address to begin with */
  readonly email: string
  readonly send: (email: string) => Promise<unknown>
  /** what the link does, after "A mail is on its way" */
  readonly sent: ComponentChildren
}

export const MailLink = ({ title, lead, email: known, send, sent }: MailLinkProps): JSX.Element => {
  const [email, setEmail] = useState(known)
  const [sentTo, setSentTo] = useState<string | null>(null)
  const ask = useAction(async () => {
    await send(email.trim())
    setSentTo(email.trim())
  })
  return (
    <div class="narrow">
      <PageHead title={title}>{lead}</PageHead>
      <Form fields={["email"]} error={ask.error} onSubmit={() => ask.run()}>
        {sentTo !== null && (
          <Notice kind="good" title="A mail is on its way">
            If {sentTo} has an account here. {sent}
          </Notice>
        )}
        <TextField
          name="email"
          label="Email"
          type="email"
          autoComplete="username"
          value={email}
          onInput={setEmail}
          autoFocus
        />
        <Button type="submit" kind="primary" wide busy={ask.isRunning}>
          {sentTo === null ? "Send the link" : "Send it again"}
        </Button>
      </Form>
      <p class="aside">
        <a href="/signin">Sign in</a>
      </p>
    </div>
  )
}
