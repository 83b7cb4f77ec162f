/** What a mailbox may send, and whose mail it takes. Each choice holds at once. */
import type { UpdateMailboxBody } from "@mailroom/client"
import type { JSX } from "preact"
import { SomeOf } from "../../components/Choices.js"
import { SelectField } from "../../components/Form.js"
import { Card } from "../../components/Page.js"
import {
  blockedActions,
  outboundPolicies,
  quarantineTriggers,
  receivePolicies,
  reviewHoursWith,
} from "../../rules/policies.js"

type Choices = Pick<
  UpdateMailboxBody,
  "outboundPolicy" | "reviewTtlHours" | "receivePolicy" | "onBlocked" | "quarantine"
>

interface PoliciesProps {
  readonly mailbox: Choices
  readonly onChange: (change: Choices) => void
}

export const SendPolicies = ({ mailbox, onChange }: PoliciesProps): JSX.Element => {
  const { outboundPolicy = "open", reviewTtlHours = 72 } = mailbox
  return (
    <Card title="Sending">
      <div class="form">
        <SelectField
          name="outboundPolicy"
          label="When your agent wants to send"
          value={outboundPolicy}
          options={outboundPolicies}
          onChange={(value) => onChange({ outboundPolicy: value })}
          hint="What waits for you is under Reviews."
        />
        {outboundPolicy !== "open" && (
          <SelectField
            name="reviewTtlHours"
            label="Without your decision, reject after"
            value={String(reviewTtlHours)}
            options={reviewHoursWith(reviewTtlHours)}
            onChange={(value) => onChange({ reviewTtlHours: Number(value) })}
          />
        )}
      </div>
    </Card>
  )
}

export const ReceivePolicies = ({ mailbox, onChange }: PoliciesProps): JSX.Element => {
  const { receivePolicy = "open", onBlocked = "quarantine", quarantine = [] } = mailbox
  return (
    <Card title="Receiving">
      <div class="form">
        <SelectField
          name="receivePolicy"
          label="Who may write to it"
          value={receivePolicy}
          options={receivePolicies}
          onChange={(value) => onChange({ receivePolicy: value })}
        />
        <SelectField
          name="onBlocked"
          label="Mail of others and of blocked senders"
          value={onBlocked}
          options={blockedActions}
          onChange={(value) => onChange({ onBlocked: value })}
        />
        <SomeOf
          legend="Keep in quarantine, hidden from your agent"
          choices={quarantineTriggers}
          chosen={new Set(quarantine)}
          onChange={(chosen) => onChange({ quarantine: [...chosen] })}
        />
      </div>
    </Card>
  )
}
