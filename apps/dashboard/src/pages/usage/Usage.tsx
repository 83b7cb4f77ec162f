/** Usage: what was sent and received, how much of the plan is used, and sending health. */
import type { MetricCounts } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { place, setQuery } from "../../app/router.js"
import { useShortcuts } from "../../app/shortcuts.js"
import { Button } from "../../components/Button.js"
import { Failure } from "../../components/Loaded.js"
import { Skeleton } from "../../components/Notice.js"
import { Card, PageHead } from "../../components/Page.js"
import { mailroom } from "../../data/client.js"
import { useLiveRefresh } from "../../data/live.js"
import { mailboxes } from "../../data/mailboxes.js"
import { loader, useResource } from "../../data/resource.js"
import { account, loadSession } from "../../data/session.js"
import { isRange, type Range, ranges } from "../../rules/series.js"
import { countText, numberText } from "../../rules/texts.js"
import { Charts } from "./Charts.js"
import { Health, Stopped } from "./Health.js"
import { AccountQuotas, MailboxQuotas } from "./Quotas.js"

const HOUR = 3_600_000

const rangeNames: ReadonlyArray<Range> = ["day", "week", "month", "quarter"]

const metrics = loader((key, signal) => {
  const [name = "", mailboxId = ""] = key.split(" ")
  const { groupBy, hours } = ranges[isRange(name) ? name : "month"]
  const from = new Date(Date.now() - (hours - (groupBy === "hour" ? 1 : 24)) * HOUR)
  return mailroom.metrics.read({ groupBy, from, ...(mailboxId !== "" && { mailboxId }) }, { signal })
})

const Totals = ({ totals }: { totals: MetricCounts }): JSX.Element => {
  const shown = [
    { name: "Received", value: totals.received },
    { name: "Sent", value: totals.sent },
    { name: "Delivered", value: totals.delivered },
    { name: "Bounced", value: totals.bounced },
    { name: "Reported as spam", value: totals.complained },
  ]
  return (
    <dl class="totals">
      {shown.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{numberText(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

export const Page = (): JSX.Element => {
  const { query } = place.value
  const asked = query.get("range")
  const range = isRange(asked) ? asked : "month"
  const mailboxId = query.get("mailbox") ?? ""
  const [asTable, setAsTable] = useState(false)
  const list = useResource(mailboxes)
  const found = useResource(metrics, `${range} ${mailboxId}`)
  const mailbox = list.data?.find(({ id }) => id === mailboxId)
  const shown = account.value
  const { groupBy, label } = ranges[range]
  useLiveRefresh(
    ["message.received", "message.sent", "message.bounced", "message.complaint", "mailbox.sending_stopped"],
    () => Promise.all([found.refresh(), list.refresh(), loadSession()]),
  )
  useShortcuts([{ keys: "v", does: "Show figures or charts", run: () => setAsTable(!asTable) }])
  return (
    <>
      <PageHead title="Usage">
        What your mailboxes send and receive, and how much of your plan that is.
      </PageHead>
      <div class="filters">
        <select
          class="input compact"
          aria-label="Mailbox"
          value={mailboxId}
          onChange={({ currentTarget: { value } }) => setQuery({ mailbox: value === "" ? null : value })}
        >
          <option value="">All mailboxes</option>
          {list.data?.map(({ id, fullAddress }) => (
            <option key={id} value={id}>
              {fullAddress}
            </option>
          ))}
        </select>
        <select
          class="input compact"
          aria-label="Time"
          value={range}
          onChange={({ currentTarget: { value } }) => setQuery({ range: value === "month" ? null : value })}
        >
          {rangeNames.map((name) => (
            <option key={name} value={name}>
              Last {ranges[name].label}
            </option>
          ))}
        </select>
        <Button icon={asTable ? "chart" : "list"} onClick={() => setAsTable(!asTable)}>
          {asTable ? "Show charts" : "Show figures"}
        </Button>
      </div>
      {list.data?.map((one) => (
        <Stopped key={one.id} mailbox={one} onResumed={list.reload} />
      ))}
      {found.error !== undefined && <Failure error={found.error} onRetry={found.reload} />}
      <Card>{found.data === undefined ? <Skeleton lines={2} /> : <Totals totals={found.data.totals} />}</Card>
      {found.data === undefined ? (
        <Card>
          <Skeleton lines={6} tall />
        </Card>
      ) : (
        <Charts metrics={found.data} groupBy={groupBy} asTable={asTable} />
      )}
      <div class="columns">
        {mailbox === undefined
          ? shown !== null && <AccountQuotas account={shown} />
          : mailbox && <MailboxQuotas mailbox={mailbox} />}
        {found.data !== undefined && <Health totals={found.data.totals} time={label} />}
      </div>
      {shown !== null && mailbox === undefined && (
        <p class="faint page-foot">
          Today: {countText(shown.receivedToday, "mail")} received, {countText(shown.sentToday, "send")},{" "}
          {countText(shown.bouncedToday, "bounce")}.
        </p>
      )}
    </>
  )
}
