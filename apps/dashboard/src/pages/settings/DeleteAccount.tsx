/** Deleting the account: what is lost, and a word to type. */
import type { Account } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { navigate } from "../../app/router.js"
import { Button } from "../../components/Button.js"
import { ConfirmDialog } from "../../components/Dialog.js"
import { Card } from "../../components/Page.js"
import { mailroom } from "../../data/client.js"
import { leaveSession } from "../../data/session.js"
import { settings } from "../../data/settings.js"
import { deletionLosses } from "../../rules/deletion.js"

export const DeleteAccount = ({ account }: { account: Account }): JSX.Element => {
  const [isAsking, setAsking] = useState(false)
  return (
    <Card title="Delete the account">
      <p class="card-lead">Everything in it is gone at once, and nobody can bring it back.</p>
      <Button kind="danger" onClick={() => setAsking(true)}>
        Delete the account…
      </Button>
      {isAsking && (
        <ConfirmDialog
          title="Delete the account for good?"
          action="Delete the account"
          danger
          typed="DELETE"
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await mailroom.account.remove({ confirm: "DELETE" })
            leaveSession()
            navigate("/signin?deleted", { replace: true })
          }}
        >
          <ul class="bullets">
            {deletionLosses(account, settings.platformDomain).map((loss) => (
              <li key={loss}>{loss}</li>
            ))}
          </ul>
        </ConfirmDialog>
      )}
    </Card>
  )
}
