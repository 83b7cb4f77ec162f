/** The first page of the account: what waits for the owner, the mailboxes, and what was sent and received today. */
import type { Account } from "@mailroom/client"
import type { JSX } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { navigate, place } from "../../app/router.js"
import { reviewCount } from "../../app/reviewCount.js"
import { LinkButton } from "../../components/Button.js"
import { CopyField } from "../../components/Copy.js"
import { Loaded } from "../../components/Loaded.js"
import { Badge, Empty, Notice, Skeleton } from "../../components/Notice.js"
import { Card, Facts, PageHead } from "../../components/Page.js"
import { Bytes } from "../../components/Values.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"
import { usePolling } from "../../data/polling.js"
import { loader, useResource } from "../../data/resource.js"
import { account, loadSession } from "../../data/session.js"
import { countText, numberText } from "../../rules/texts.js"

/** Milliseconds between two looks for a payment, and how many there are: five minutes. */
const PAYMENT_LOOK = 2_000
const PAYMENT_LOOKS = 150

const mailboxes = loader(async (_, signal) => (await mailroom.mailboxes.list({ signal })).items)

const Today = (shown: Account): JSX.Element => (
  <Card title="Today">
    <Facts
      facts={[
        { name: "Received", value: numberText(shown.receivedToday) },
        { name: "Sent", value: numberText(shown.sentToday) },
        { name: "Bounced", value: numberText(shown.bouncedToday) },
        {
          name: "Received this month",
          value:
            shown.monthlyInboundLimit === null
              ? numberText(shown.monthlyInboundCount)
              : `${numberText(shown.monthlyInboundCount)} of ${numberText(shown.monthlyInboundLimit)}`,
        },
        {
          name: "Storage",
          value: (
            <>
              <Bytes value={shown.storageUsedBytes} /> of <Bytes value={shown.storageLimitBytes} />
            </>
          ),
        },
      ]}
    />
  </Card>
)

/** Until mail has come and gone, the way to the first steps. */
const Begin = ({ monthlyInboundCount, sentThisMonth }: Account): JSX.Element | null =>
  monthlyInboundCount > 0 && sentThisMonth > 0 ? null : (
    <Notice
      kind="neutral"
      title="First steps"
      actions={
        <LinkButton size="small" href="/onboarding">
          Continue
        </LinkButton>
      }
    >
      Receive a first mail, use a key, send a first answer.
    </Notice>
  )

const Waiting = (): JSX.Element | null => {
  const count = reviewCount.value
  if (count === null || count === 0) return null
  return (
    <Notice
      kind="accent"
      title={`${countText(count, "mail waits", "mails wait")} for you`}
      actions={
        <LinkButton kind="primary" size="small" href="/dashboard/reviews">
          Review
        </LinkButton>
      }
    >
      Your agents want to send. Nothing leaves before you approve it.
    </Notice>
  )
}

/** Begins what follows a verification, and goes to the first steps if they come first. */
const followVerification = async (): Promise<void> => {
  try {
    const { target } = await mailroom.account.postVerifyTarget()
    if (target === "/onboarding") navigate(target, { replace: true })
  } catch {
    // The page is as useful without it, and the welcome mail can come later.
  }
}

/** Reads the account again and again until its payment is confirmed, of which no event tells. */
const usePayment = (isAwaited: boolean): void => {
  const looks = useRef(0)
  // One at a time: the answer to an earlier look is not shown.
  const { run } = useAction(loadSession)
  usePolling(isAwaited, PAYMENT_LOOK, () => {
    if (looks.current++ < PAYMENT_LOOKS) run()
  })
}

export const Page = (): JSX.Element => {
  const list = useResource(mailboxes)
  const shown = account.value
  const { query } = place.value
  const isVerified = query.has("verified") && shown?.emailVerified === true
  usePayment(query.has("upgraded") && shown?.state !== "active")
  useEffect(() => {
    if (isVerified) void followVerification()
  }, [isVerified])
  return (
    <>
      <PageHead title="Home">What your agents do, and what waits for you.</PageHead>
      {isVerified && (
        <Notice kind="good" title="Your address is verified">
          Your agents can send mail now.
        </Notice>
      )}
      {query.has("upgraded") && (
        <Notice kind="good" title="Thank you">
          Once the payment is confirmed, which takes seconds, the limits of your plan hold, and mail that
          waited is unlocked.
        </Notice>
      )}
      <Waiting />
      {shown !== null && <Begin {...shown} />}
      <div class="columns">
        {shown !== null && <Today {...shown} />}
        <Card title="Mailboxes">
          <Loaded resource={list} skeleton={<Skeleton lines={2} tall />}>
            {(items) =>
              items.length === 0 ? (
                <Empty icon="archive" title="No mailbox yet">
                  <p>An agent creates one with POST /v1/mailboxes.</p>
                </Empty>
              ) : (
                <ul class="plain-list">
                  {items.map((mailbox) => (
                    <li key={mailbox.id} class="mailbox-line">
                      <CopyField label={`address ${mailbox.fullAddress}`} text={mailbox.fullAddress} />
                      {mailbox.status !== "ACTIVE" && <Badge tone="warn">{mailbox.status}</Badge>}
                      <span class="faint">{countText(mailbox.receivedThisMonth, "mail")} this month</span>
                    </li>
                  ))}
                </ul>
              )
            }
          </Loaded>
        </Card>
      </div>
    </>
  )
}
