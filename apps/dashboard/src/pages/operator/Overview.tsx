/** The operator's first page: whether the service is well. */
import type { JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { Loaded } from "../../components/Loaded.js"
import { Skeleton } from "../../components/Notice.js"
import { PageHead } from "../../components/Page.js"
import { usePolling } from "../../data/polling.js"
import { useResource } from "../../data/resource.js"
import { ageText, rate, total } from "../../rules/counters.js"
import { numberText } from "../../rules/texts.js"
import { Doctor } from "./Doctor.js"
import { Counts } from "./Counts.js"
import { Complaints } from "./Complaints.js"
import { LoggedLines } from "./LoggedLines.js"
import { counters, type Reading, stats } from "./operatorApi.js"
import { StoppedMailboxes } from "./StoppedMailboxes.js"

/** Milliseconds between two readings. */
const EVERY = 5_000
const FIRST = 1_500

interface Tile {
  readonly name: string
  readonly value: string
  readonly hint?: string
  readonly tone?: "warn" | "bad"
}

const Tiles = ({ tiles }: { tiles: ReadonlyArray<Tile> }): JSX.Element => (
  <dl class="tiles">
    {tiles.map(({ name, value, hint, tone }) => (
      <div key={name} class={tone === undefined ? "tile" : `tile ${tone}`}>
        <dt>{name}</dt>
        <dd>
          <strong>{value}</strong>
          {hint !== undefined && <span class="faint">{hint}</span>}
        </dd>
      </div>
    ))}
  </dl>
)

const upTo = (value: number, countedTo: number): string =>
  value >= countedTo ? `${numberText(countedTo)} or more` : numberText(value)

const perSecond = (value: number | null): string =>
  value === null ? "…" : `${numberText(Math.round(value * 10) / 10)}/s`

const throughput = (before: Reading | null, now: Reading): ReadonlyArray<Tile> => {
  const seconds = before === null ? 0 : (now.at - before.at) / 1000
  const of = (name: string) =>
    perSecond(
      rate(before === null ? undefined : total(before.samples, name), total(now.samples, name), seconds),
    )
  const oldest = total(now.samples, "mailroom_delivery_oldest_seconds")
  const tone = oldest > 60 ? "bad" : oldest > 10 ? "warn" : undefined
  return [
    { name: "Mail accepted", value: of("mailroom_mails_accepted_total") },
    { name: "Delivered", value: of("mailroom_messages_received_total") },
    { name: "Sent", value: of("mailroom_messages_sent_total") },
    { name: "Requests", value: of("mailroom_http_requests_total") },
    {
      name: "Oldest mail in the queue",
      value: total(now.samples, "mailroom_delivery_backlog") === 0 ? "None waits" : ageText(oldest),
      ...(tone !== undefined && { tone }),
    },
  ]
}

export const Page = (): JSX.Element => {
  const counted = useResource(stats)
  const read = useResource(counters)
  const last = useRef<Reading | null>(null)
  const [before, setBefore] = useState<Reading | null>(null)
  // Rates need a second reading: it comes sooner than the others.
  usePolling(before === null && !read.isLoading, FIRST, read.reload)
  usePolling(!counted.isLoading, EVERY, counted.reload)
  usePolling(!read.isLoading, EVERY, read.reload)
  useEffect(() => {
    if (read.data === undefined) return
    setBefore(last.current)
    last.current = read.data
  }, [read.data])
  return (
    <>
      <PageHead title="Overview">
        Whether the service is well. Rates and counters are those of the process that answers, since its
        start.
      </PageHead>
      <Loaded resource={read} skeleton={<Skeleton lines={2} tall />}>
        {(now) => <Tiles tiles={throughput(before, now)} />}
      </Loaded>
      <Loaded resource={counted} skeleton={<Skeleton lines={2} tall />}>
        {(shown) => {
          const text = (value: number) => upTo(value, shown.countedTo)
          return (
            <Tiles
              tiles={[
                {
                  name: "Accounts",
                  value: text(shown.accounts),
                  hint: `${text(shown.suspendedAccounts)} suspended`,
                },
                {
                  name: "Mailboxes",
                  value: text(shown.mailboxes),
                  hint: `${text(shown.stoppedMailboxes)} stopped`,
                },
                { name: "Messages today", value: text(shown.messagesToday) },
                { name: "Mail in the queue", value: text(shown.queuedMails) },
                { name: "Webhook posts waiting", value: text(shown.waitingDeliveries) },
                { name: "Jobs waiting", value: text(shown.waitingJobs) },
              ]}
            />
          )
        }}
      </Loaded>
      {read.data !== undefined && <Counts samples={read.data.samples} />}
      <LoggedLines />
      <StoppedMailboxes />
      <Complaints />
      <Doctor />
    </>
  )
}
