/** Invitations: who may sign up where signup needs one. */
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { useShortcuts } from "../../app/shortcuts.js"
import { Button } from "../../components/Button.js"
import { CopyField } from "../../components/Copy.js"
import { ConfirmDialog, Dialog, DialogActions } from "../../components/Dialog.js"
import { Form, TextField } from "../../components/Form.js"
import { Loaded } from "../../components/Loaded.js"
import { Badge, Empty, Notice, Skeleton } from "../../components/Notice.js"
import { Card, PageHead } from "../../components/Page.js"
import { SecretDialog } from "../../components/Secret.js"
import { Table } from "../../components/Table.js"
import { say } from "../../components/Toasts.js"
import { Time } from "../../components/Values.js"
import { useAction } from "../../data/action.js"
import { useResource } from "../../data/resource.js"
import { settings } from "../../data/settings.js"
import { invitationState } from "../../rules/operator.js"
import { admin, invitations } from "./operatorApi.js"

const DAYS = 14

const states = {
  open: { tone: "accent", label: "Open" },
  used: { tone: "good", label: "Used" },
  expired: { tone: "neutral", label: "Expired" },
} as const

const NewInvitation = ({
  onCreated,
  onClose,
}: {
  onCreated: (token: string) => void
  onClose: () => void
}): JSX.Element => {
  const [days, setDays] = useState(String(DAYS))
  const create = useAction(async () =>
    onCreated((await admin().createInvitation({ days: Number(days) })).token),
  )
  return (
    <Dialog title="New invitation" onClose={onClose}>
      <Form fields={["days"]} error={create.error} onSubmit={() => create.run()}>
        <TextField
          name="days"
          label="Days for which it holds"
          type="number"
          value={days}
          onInput={setDays}
          hint="One account can be opened with it."
          autoFocus
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={create.isRunning} disabled={!/^\d+$/.test(days)}>
            Create invitation
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}

export const Page = (): JSX.Element => {
  const list = useResource(invitations)
  const [isCreating, setCreating] = useState(false)
  const [token, setToken] = useState<string | null>(null)
  const [revoking, setRevoking] = useState<string | null>(null)
  useShortcuts([{ keys: "c", does: "Create an invitation", run: () => setCreating(true) }])
  const button = (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      New invitation
    </Button>
  )
  return (
    <>
      <PageHead title="Invitations" actions={button}>
        Each opens one account.
      </PageHead>
      {settings.signup !== "invite" && (
        <Notice kind="neutral">
          {settings.signup === "open"
            ? "Signup is open to everybody: nobody needs an invitation (SIGNUP=invite changes that)."
            : "Signup is closed: invitations open it only with SIGNUP=invite."}
        </Notice>
      )}
      <Card flush>
        <Loaded resource={list} skeleton={<Skeleton lines={4} tall />}>
          {(found) =>
            found.length === 0 ? (
              <Empty icon="send" title="No invitation yet" actions={button}>
                <p>Create one and give its link to the person.</p>
              </Empty>
            ) : (
              <Table
                label="Invitations"
                rows={found}
                keyOf={({ id }) => id}
                columns={[
                  {
                    name: "State",
                    cell: (one) => {
                      const { tone, label } = states[invitationState(one, new Date())]
                      return <Badge tone={tone}>{label}</Badge>
                    },
                  },
                  { name: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
                  { name: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
                  {
                    name: "Used",
                    cell: ({ usedAt }) => (usedAt === null ? "Not yet" : <Time at={usedAt} />),
                  },
                  {
                    name: "Actions",
                    hasHiddenName: true,
                    align: "end",
                    cell: (one) =>
                      invitationState(one, new Date()) === "open" && (
                        <Button size="small" onClick={() => setRevoking(one.id)}>
                          Revoke
                        </Button>
                      ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {isCreating && (
        <NewInvitation
          onClose={() => setCreating(false)}
          onCreated={(created) => {
            setCreating(false)
            setToken(created)
            list.reload()
          }}
        />
      )}
      {token !== null && (
        <SecretDialog
          title="The invitation"
          label="invitation"
          secret={`${settings.baseUrl}/signup?invitation=${token}`}
          onClose={() => setToken(null)}
        >
          <p>Or, for a signup by the API, the token alone:</p>
          <CopyField label="token of the invitation" text={token} />
        </SecretDialog>
      )}
      {revoking !== null && (
        <ConfirmDialog
          title="Revoke this invitation?"
          action="Revoke"
          danger
          onClose={() => setRevoking(null)}
          onConfirm={async () => {
            await admin().revokeInvitation(revoking)
            say("The invitation is revoked.")
            list.reload()
          }}
        >
          <p>Nobody can sign up with it any more.</p>
        </ConfirmDialog>
      )}
    </>
  )
}
