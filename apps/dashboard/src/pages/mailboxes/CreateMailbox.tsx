/** The dialog that creates a mailbox. */
import type { Mailbox } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../components/Button.js"
import { Dialog, DialogActions } from "../../components/Dialog.js"
import { Form, SelectField, TextField } from "../../components/Form.js"
import { say } from "../../components/Toasts.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"
import { loader, useResource } from "../../data/resource.js"
import { account } from "../../data/session.js"
import { settings } from "../../data/settings.js"

const domains = loader(async (_, signal) => (await mailroom.domains.list({ signal })).items)

interface CreateProps {
  readonly onCreated: (mailbox: Mailbox) => void
  readonly onClose: () => void
}

export const CreateMailbox = ({ onCreated, onClose }: CreateProps): JSX.Element => {
  const [address, setAddress] = useState("")
  const [displayName, setDisplayName] = useState("")
  const [domainId, setDomainId] = useState("")
  const { data = [] } = useResource(domains)
  const verified = data.filter(({ status }) => status === "VERIFIED")
  const ours = `${account.value?.slug ?? ""}.${settings.platformDomain}`
  const domain = verified.find(({ id }) => id === domainId)?.domain ?? ours
  const create = useAction(async () => {
    const mailbox = await mailroom.mailboxes.create({
      address: address.trim(),
      displayName: displayName.trim() === "" ? null : displayName.trim(),
      domainId: domainId === "" ? undefined : domainId,
    })
    say(`${mailbox.fullAddress} is there.`)
    onCreated(mailbox)
  })
  return (
    <Dialog title="New mailbox" onClose={onClose}>
      <Form fields={["address", "displayName"]} error={create.error} onSubmit={() => create.run()}>
        <TextField
          name="address"
          label="Address"
          value={address}
          onInput={setAddress}
          suffix={`@${domain}`}
          placeholder="support"
          autoFocus
        />
        {verified.length > 0 && (
          <SelectField
            name="domainId"
            label="Domain"
            value={domainId}
            options={[
              { value: "", label: ours },
              ...verified.map((one) => ({ value: one.id, label: one.domain })),
            ]}
            onChange={setDomainId}
          />
        )}
        <TextField
          name="displayName"
          label="Name"
          optional
          value={displayName}
          onInput={setDisplayName}
          placeholder="Ada's assistant"
          hint="Recipients see it beside the address."
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={create.isRunning} disabled={address.trim() === ""}>
            Create mailbox
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
