/** The first steps of an account, as a checklist that ticks itself. */
import type { JSX } from "preact"
import { useEffect } from "preact/hooks"
import { LinkButton } from "../../components/Button.js"
import { CodeBlock } from "../../components/Copy.js"
import { Loaded } from "../../components/Loaded.js"
import { Notice, Skeleton } from "../../components/Notice.js"
import { PageHead } from "../../components/Page.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"
import { freshKey } from "../../data/freshKey.js"
import { useLiveRefresh } from "../../data/live.js"
import { useResource } from "../../data/resource.js"
import { account, loadSession } from "../../data/session.js"
import { settings } from "../../data/settings.js"
import { firstAnswer, KEY_PLACEHOLDER } from "../../rules/snippets.js"
import { KeyStep } from "./KeyStep.js"
import { MailStep } from "./MailStep.js"
import { type Progress, progress } from "./progress.js"
import { Step } from "./Step.js"
import { VerifyStep } from "./VerifyStep.js"

/** Milliseconds between two looks at what has no event: the verification and the use of a key. */
const LOOK = 2_500

/** Looks again and again, while somebody sees the page. */
const useLooks = (isWanted: boolean, look: () => void): void =>
  useEffect(() => {
    if (!isWanted) return undefined
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") look()
    }, LOOK)
    // A verification happens in another tab.
    globalThis.addEventListener("focus", look)
    return () => {
      clearInterval(timer)
      globalThis.removeEventListener("focus", look)
    }
  }, [isWanted, look])

const Steps = ({ isKeyUsed, isAnswered, mailbox, received }: Progress): JSX.Element => {
  const isVerified = account.value?.emailVerified === true
  const agent = {
    baseUrl: settings.baseUrl,
    key: freshKey.value ?? KEY_PLACEHOLDER,
    mailboxId: mailbox?.id ?? "MAILBOX_ID",
  }
  const isAllDone = isVerified && received !== null && isKeyUsed && isAnswered
  return (
    <>
      {isAllDone && (
        <Notice
          kind="good"
          title="Everything works"
          actions={
            <LinkButton kind="primary" size="small" href="/dashboard">
              Go to the dashboard
            </LinkButton>
          }
        >
          Your agent receives mail, reads it and answers it.
        </Notice>
      )}
      <ol class="steps">
        <Step
          number={1}
          title="Verify your address"
          isDone={isVerified}
          done={`${account.value?.email ?? ""} is yours.`}
        >
          <VerifyStep email={account.value?.email ?? ""} />
        </Step>
        <Step
          number={2}
          title="Receive a first mail"
          isDone={received !== null}
          done={
            <>
              “<bdi>{received?.subject}</bdi>” from {received?.fromAddress}
            </>
          }
        >
          {mailbox !== null && <MailStep agent={agent} mailbox={mailbox} isVerified={isVerified} />}
        </Step>
        <Step number={3} title="Use a key" isDone={isKeyUsed} done="Your agent has called the service.">
          <KeyStep agent={agent} />
        </Step>
        <Step
          number={4}
          title="Send a first answer"
          isDone={isAnswered}
          done="Your agent has answered a mail."
        >
          <p>The answer goes into the thread of the mail, as a person’s would.</p>
          <CodeBlock label="Answer a mail" codes={firstAnswer(agent, received?.id ?? null)} />
        </Step>
      </ol>
    </>
  )
}

export const Page = (): JSX.Element => {
  const steps = useResource(progress)
  const isVerified = account.value?.emailVerified === true
  const isKeyUsed = steps.data?.isKeyUsed === true
  // One at a time: the answer to an earlier look is not shown.
  const { run: look } = useAction(loadSession)
  useLiveRefresh(["message.received", "message.sent"], steps.refresh)
  useLooks(!isVerified, look)
  useLooks(!isKeyUsed && !steps.isLoading, steps.reload)
  useEffect(() => {
    // Begins what follows a verification: the welcome mail, and the plan that the signup named. It can be repeated.
    if (isVerified) void mailroom.account.postVerifyTarget().catch(() => undefined)
  }, [isVerified])
  return (
    <div class="reading">
      <PageHead title="First steps">Each step ticks itself as soon as it happens.</PageHead>
      <Loaded resource={steps} skeleton={<Skeleton lines={8} tall />}>
        {(data) => <Steps {...data} />}
      </Loaded>
    </div>
  )
}
