/** Suppressing an address by hand, for all mailboxes or for one. */
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../components/Button.js"
import { Dialog, DialogActions } from "../../components/Dialog.js"
import { Form, SelectField, TextField } from "../../components/Form.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"
import { mailboxes } from "../../data/mailboxes.js"
import { useResource } from "../../data/resource.js"

interface NewSuppressionProps {
  readonly onAdded: (email: string) => void
  readonly onClose: () => void
}

export const NewSuppression = ({ onAdded, onClose }: NewSuppressionProps): JSX.Element => {
  const [email, setEmail] = useState("")
  const [mailboxId, setMailboxId] = useState("")
  const list = useResource(mailboxes).data ?? []
  const add = useAction(async () => {
    const added = await mailroom.suppressions.create({
      email: email.trim(),
      ...(mailboxId !== "" && { mailboxId }),
    })
    onAdded(added.email)
  })
  return (
    <Dialog title="Suppress an address" onClose={onClose}>
      <Form fields={["email", "mailboxId"]} error={add.error} onSubmit={() => add.run()}>
        <TextField name="email" label="Address" type="email" value={email} onInput={setEmail} autoFocus />
        <SelectField
          name="mailboxId"
          label="Refuse mail from"
          value={mailboxId}
          onChange={setMailboxId}
          options={[
            { value: "", label: "All mailboxes" },
            ...list.map(({ id, fullAddress }) => ({ value: id, label: `Only ${fullAddress}` })),
          ]}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={add.isRunning} disabled={email.trim() === ""}>
            Suppress
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
