/** What the plan includes, and how much of it is used. */
import type { Account, Mailbox } from "@mailroom/client"
import type { JSX } from "preact"
import { LinkButton } from "../../components/Button.js"
import { Meter } from "../../components/Meter.js"
import { Card } from "../../components/Page.js"
import { Bytes, Time } from "../../components/Values.js"
import { countText, numberText } from "../../rules/texts.js"

const ofLimit = (used: number, limit: number | null): string =>
  limit === null ? `${numberText(used)}, without limit` : `${numberText(used)} of ${numberText(limit)}`

export const AccountQuotas = ({ account }: { account: Account }): JSX.Element => (
  <Card
    title={`The ${account.plan} plan`}
    actions={
      <LinkButton size="small" href="/dashboard/billing">
        See plans
      </LinkButton>
    }
  >
    <div class="meters">
      <Meter
        label="Received this month"
        used={account.monthlyInboundCount}
        limit={account.monthlyInboundLimit}
      >
        {ofLimit(account.monthlyInboundCount, account.monthlyInboundLimit)}
      </Meter>
      <Meter label="Files" used={account.storageUsedBytes} limit={account.storageLimitBytes}>
        <Bytes value={account.storageUsedBytes} /> of <Bytes value={account.storageLimitBytes} />
      </Meter>
      <Meter label="Mailboxes" used={account.mailboxCount} limit={account.mailboxLimit}>
        {ofLimit(account.mailboxCount, account.mailboxLimit)}
      </Meter>
    </div>
    <p class="card-foot faint">
      {account.overLimitMessageCount > 0 &&
        `${countText(account.overLimitMessageCount, "mail is", "mails are")} kept and hidden, above the limit. A larger plan shows them at once. `}
      The month begins again <Time at={account.monthlyInboundResetAt} />.
    </p>
  </Card>
)

export const MailboxQuotas = ({ mailbox }: { mailbox: Mailbox }): JSX.Element => (
  <Card title="Sends of this mailbox">
    <div class="meters">
      <Meter label="Today" used={mailbox.dailySendCount} limit={mailbox.dailySendLimit}>
        {ofLimit(mailbox.dailySendCount, mailbox.dailySendLimit)}
      </Meter>
      <Meter label="This month" used={mailbox.monthlySendCount} limit={mailbox.monthlySendLimit}>
        {ofLimit(mailbox.monthlySendCount, mailbox.monthlySendLimit)}
      </Meter>
    </div>
    <p class="card-foot faint">Days and months are those of UTC.</p>
  </Card>
)
