/** One account for the operator: its usage, its plan, and its suspension. */
import type { Account, Plan } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, LinkButton } from "../../components/Button.js"
import { Dialog, DialogActions } from "../../components/Dialog.js"
import { Form, SelectField, TextField } from "../../components/Form.js"
import { Badge } from "../../components/Notice.js"
import { Facts } from "../../components/Page.js"
import { say } from "../../components/Toasts.js"
import { Bytes, Time } from "../../components/Values.js"
import { useAction } from "../../data/action.js"
import { changesPlan, stateWords } from "../../rules/operator.js"
import { planOrder } from "../../rules/plans.js"
import { numberText } from "../../rules/texts.js"
import { admin } from "./operatorApi.js"

interface AccountViewProps {
  readonly account: Account
  readonly onClose: () => void
  readonly onChanged: (account: Account) => void
}

const Usage = ({ account }: { account: Account }): JSX.Element => {
  const { tone, label } = stateWords(account)
  return (
    <Facts
      facts={[
        { name: "State", value: <Badge tone={tone}>{label}</Badge> },
        ...(account.suspendedReason === null ? [] : [{ name: "Reason", value: account.suspendedReason }]),
        { name: "Email", value: account.email },
        { name: "Mailboxes", value: `${account.activeMailboxCount} active of ${account.mailboxCount}` },
        {
          name: "Received",
          value: `${numberText(account.receivedToday)} today, ${numberText(account.monthlyInboundCount)} this month`,
        },
        {
          name: "Sent",
          value: `${numberText(account.sentToday)} today, ${numberText(account.sentThisMonth)} this month`,
        },
        { name: "Bounced today", value: numberText(account.bouncedToday) },
        {
          name: "Files",
          value: (
            <>
              <Bytes value={account.storageUsedBytes} /> of <Bytes value={account.storageLimitBytes} />
            </>
          ),
        },
        { name: "Opened", value: <Time at={account.createdAt} /> },
        { name: "Id", value: <code>{account.id}</code> },
      ]}
    />
  )
}

const Suspension = ({ account, onChanged }: Omit<AccountViewProps, "onClose">): JSX.Element => {
  const [reason, setReason] = useState("")
  const suspend = useAction(async () => {
    onChanged(await admin().suspendAccount(account.id, { reason: reason.trim() }))
    setReason("")
    say(`${account.slug} is suspended.`)
  })
  const unsuspend = useAction(async () => {
    onChanged(await admin().unsuspendAccount(account.id))
    say(`${account.slug} works again.`)
  })
  if (account.suspended)
    return (
      <Form fields={[]} error={unsuspend.error} onSubmit={() => unsuspend.run()}>
        <div class="page-actions">
          <Button type="submit" kind="primary" busy={unsuspend.isRunning}>
            End the suspension
          </Button>
        </div>
      </Form>
    )
  return (
    <Form fields={["reason"]} error={suspend.error} onSubmit={() => reason.trim() !== "" && suspend.run()}>
      <TextField
        name="reason"
        label="Reason of a suspension"
        value={reason}
        onInput={setReason}
        hint="The owner reads it. Keys and sessions are refused, streams end, and mail to the account is refused."
      />
      <div class="page-actions">
        <Button type="submit" kind="danger" busy={suspend.isRunning} disabled={reason.trim() === ""}>
          Suspend the account
        </Button>
      </div>
    </Form>
  )
}

const PlanForm = ({ account, onChanged }: Omit<AccountViewProps, "onClose">): JSX.Element => {
  const [plan, setPlan] = useState<Plan>(account.plan)
  const save = useAction(async () => {
    onChanged(await admin().setPlan(account.id, { plan }))
    say(`${account.slug} is on ${plan}.`)
  })
  return (
    <Form fields={["plan"]} error={save.error} onSubmit={() => save.run()}>
      <SelectField
        name="plan"
        label="Plan, without payment"
        value={plan}
        onChange={setPlan}
        options={planOrder.map((value) => ({ value, label: value }))}
      />
      {account.billingLinked && <p class="field-hint">The subscription of the account is cancelled.</p>}
      <div class="page-actions">
        <Button type="submit" busy={save.isRunning} disabled={!changesPlan(account, plan)}>
          Set the plan
        </Button>
      </div>
    </Form>
  )
}

export const AccountView = ({ account, onClose, onChanged }: AccountViewProps): JSX.Element => (
  <Dialog title={account.slug} onClose={onClose} wide>
    <div class="stack">
      <Usage account={account} />
      <Suspension account={account} onChanged={onChanged} />
      <PlanForm account={account} onChanged={onChanged} />
      <DialogActions>
        <LinkButton href={`/operator/audit?account=${account.id}`}>Audit trail</LinkButton>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </div>
  </Dialog>
)
