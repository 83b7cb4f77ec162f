/** Creating a key: what it is for, and which mailboxes it reaches. */
import type { CreatedKey, Permission } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../components/Button.js"
import { OneOf, SomeOf } from "../../components/Choices.js"
import { Dialog, DialogActions } from "../../components/Dialog.js"
import { Form, TextField } from "../../components/Form.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"
import { mailboxes } from "../../data/mailboxes.js"
import { useResource } from "../../data/resource.js"
import { type KeyPurpose, keyPurposes, permissions, permissionsOf } from "../../rules/keys.js"

const purposes: ReadonlyArray<KeyPurpose> = ["agent", "drafts", "reader", "full", "custom"]

interface NewKeyProps {
  readonly onCreated: (key: CreatedKey) => void
  readonly onClose: () => void
}

export const NewKey = ({ onCreated, onClose }: NewKeyProps): JSX.Element => {
  const [name, setName] = useState("")
  const [purpose, setPurpose] = useState<KeyPurpose>("agent")
  const [chosen, setChosen] = useState<ReadonlySet<Permission>>(new Set<Permission>(["read"]))
  const [reach, setReach] = useState<"all" | "some">("all")
  const [scope, setScope] = useState<ReadonlySet<string>>(new Set())
  const list = useResource(mailboxes).data ?? []
  const held = permissionsOf(purpose, chosen)
  const isScoped = purpose !== "full" && reach === "some"
  const create = useAction(async () => {
    const body = { name: name.trim(), permissions: held, ...(isScoped && { mailboxIds: [...scope] }) }
    onCreated(await mailroom.keys.create(body))
  })
  const isReady = name.trim() !== "" && held.length > 0 && (!isScoped || scope.size > 0)
  return (
    <Dialog title="New key" onClose={onClose} wide>
      <Form
        fields={["name", "permissions", "mailboxIds"]}
        error={create.error}
        onSubmit={() => isReady && create.run()}
      >
        <TextField
          name="name"
          label="Name"
          value={name}
          onInput={setName}
          placeholder="Support agent"
          hint="So that you know later what uses it."
          autoFocus
        />
        <OneOf
          legend="What is it for?"
          value={purpose}
          onChange={setPurpose}
          choices={purposes.map((value) => ({ value, ...keyPurposes[value] }))}
        />
        {purpose === "custom" && (
          <SomeOf
            legend="It may"
            chosen={chosen}
            onChange={setChosen}
            choices={permissions.map(({ permission, label, hint }) => ({ value: permission, label, hint }))}
            hint={held.length === 0 ? "Choose one at least." : undefined}
          />
        )}
        {purpose !== "full" && (
          <OneOf
            legend="Which mailboxes?"
            value={reach}
            onChange={setReach}
            choices={[
              { value: "all", label: "All of them", hint: "Also those that you create later" },
              { value: "some", label: "Only these", hint: "It cannot see that others exist" },
            ]}
          />
        )}
        {isScoped && (
          <SomeOf
            legend="Mailboxes"
            chosen={scope}
            onChange={setScope}
            choices={list.map(({ id, fullAddress }) => ({ value: id, label: fullAddress }))}
            hint={scope.size === 0 ? "Choose one at least." : undefined}
          />
        )}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={create.isRunning} disabled={!isReady}>
            Create key
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
