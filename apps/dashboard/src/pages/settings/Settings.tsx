/** Settings: the account, the password, the theme, the mail to take along, help, and the end of the account. */
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { type Theme, theme } from "../../app/theme.js"
import { Button } from "../../components/Button.js"
import { OneOf } from "../../components/Choices.js"
import { ConfirmDialog } from "../../components/Dialog.js"
import { Form, TextAreaField, TextField } from "../../components/Form.js"
import { Badge } from "../../components/Notice.js"
import { Card, Facts, PageHead } from "../../components/Page.js"
import { say, sayError } from "../../components/Toasts.js"
import { Time } from "../../components/Values.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"
import { account, signOut } from "../../data/session.js"
import { settings } from "../../data/settings.js"
import { DeleteAccount } from "./DeleteAccount.js"
import { Export } from "./Export.js"

const Password = ({ email }: { email: string }): JSX.Element => {
  const [isAsking, setAsking] = useState(false)
  const leave = useAction(() => signOut().catch(sayError))
  return (
    <Card title="Password and sessions">
      <p class="card-lead">
        A new password ends every session, on all devices. Keys go on working. Every sign-in is in the{" "}
        <a href="/dashboard/audit?topic=keys">audit trail</a>.
      </p>
      <div class="page-actions">
        <Button icon="key" onClick={() => setAsking(true)}>
          Set a new password
        </Button>
        <Button icon="signOut" busy={leave.isRunning} onClick={() => leave.run()}>
          Sign out here
        </Button>
      </div>
      {isAsking && (
        <ConfirmDialog
          title="Set a new password?"
          action="Send me the link"
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await mailroom.session.requestPasswordReset({ email })
            say(`A link is on its way to ${email}.`)
          }}
        >
          <p>You get a mail at {email} with a link to set it. The link works once, within an hour.</p>
          <p>When you set it, every session ends: also this one, and one that a stranger may have.</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

const Appearance = (): JSX.Element => (
  <Card title="Appearance">
    <OneOf<Theme>
      legend="Theme in this browser"
      value={theme.value}
      onChange={(chosen) => (theme.value = chosen)}
      choices={[
        { value: "system", label: "As the system" },
        { value: "light", label: "Light" },
        { value: "dark", label: "Dark" },
      ]}
    />
  </Card>
)

const Support = (): JSX.Element => {
  const [subject, setSubject] = useState("")
  const [message, setMessage] = useState("")
  const ask = useAction(async () => {
    await mailroom.account.support({ subject: subject.trim(), message })
    setSubject("")
    setMessage("")
    say("Your question is on its way. The answer comes by mail.")
  })
  return (
    <Card title="Ask the operator">
      <Form fields={["subject", "message"]} error={ask.error} onSubmit={() => ask.run()}>
        <TextField name="subject" label="Subject" value={subject} onInput={setSubject} />
        <TextAreaField name="message" label="Question" value={message} onInput={setMessage} />
        <div class="page-actions">
          <Button
            type="submit"
            kind="primary"
            busy={ask.isRunning}
            disabled={subject.trim() === "" || message.trim() === ""}
          >
            Send
          </Button>
        </div>
      </Form>
    </Card>
  )
}

export const Page = (): JSX.Element => {
  const shown = account.value
  if (shown === null) return <PageHead title="Settings" />
  const { name, email, emailVerified, slug, createdAt, id } = shown
  return (
    <>
      <PageHead title="Settings" />
      <div class="settings">
        <Card title="Account">
          <Facts
            facts={[
              ...(name === null ? [] : [{ name: "Name", value: name }]),
              {
                name: "Email",
                value: (
                  <>
                    {email}{" "}
                    {emailVerified ? (
                      <Badge tone="good">Verified</Badge>
                    ) : (
                      <Badge tone="warn">Not verified</Badge>
                    )}
                  </>
                ),
              },
              { name: "Addresses end in", value: <code>{`@${slug}.${settings.platformDomain}`}</code> },
              { name: "Opened", value: <Time at={createdAt} /> },
              { name: "Id", value: <code>{id}</code> },
            ]}
          />
        </Card>
        <Password email={email} />
        <Appearance />
        <Export />
        {settings.support && <Support />}
        <DeleteAccount account={shown} />
      </div>
    </>
  )
}
