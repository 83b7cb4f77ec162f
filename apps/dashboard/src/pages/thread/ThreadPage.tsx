/** A thread: who answers it, and its messages, oldest first. */
import type { Thread } from "@mailroom/client"
import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { place } from "../../app/router.js"
import type { PageProps } from "../../app/routes.js"
import { useShortcuts } from "../../app/shortcuts.js"
import { Button, LinkButton } from "../../components/Button.js"
import { Icon } from "../../components/Icon.js"
import { Loaded } from "../../components/Loaded.js"
import { Notice, Skeleton } from "../../components/Notice.js"
import { PageHead } from "../../components/Page.js"
import { say, sayError } from "../../components/Toasts.js"
import { Time } from "../../components/Values.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"
import { useResource } from "../../data/resource.js"
import { subjectText } from "../../rules/messages.js"
import { countText, numberText } from "../../rules/texts.js"
import { lastList } from "../mail/lastList.js"
import { mailboxes } from "../mailboxes/allMailboxes.js"
import { MessageCard } from "./MessageCard.js"
import { type Conversation, OLDER, useConversation } from "./conversation.js"

/** Who answers: the agent, or the reader. */
const Answering = ({ thread, onChange }: { thread: Thread; onChange: () => void }): JSX.Element => {
  const isTaken = thread.takenOverAt !== null
  const change = useAction(async () => {
    try {
      await (isTaken ? mailroom.threads.release(thread.id) : mailroom.threads.takeOver(thread.id))
      say(isTaken ? "The agent answers again." : "You answer this thread now.")
      onChange()
    } catch (error) {
      sayError(error)
    }
  })
  useShortcuts([{ keys: "t", does: isTaken ? "Release to the agent" : "Take over", run: () => change.run() }])
  return (
    <section class={isTaken ? "answering taken" : "answering"} aria-label="Who answers">
      <Icon name={isTaken ? "user" : "monitor"} size={20} />
      <div>
        <p class="answering-who">{isTaken ? "You answer this thread" : "Your agent answers this thread"}</p>
        <p class="answering-text">
          {thread.takenOverAt === null ? (
            "Take it over to answer yourself: sends of the agent are then refused."
          ) : (
            <>
              Since <Time at={thread.takenOverAt} />. Sends of the agent are refused until you release it;
              mail still arrives.
            </>
          )}
        </p>
      </div>
      <Button kind={isTaken ? "secondary" : "primary"} busy={change.isRunning} onClick={() => change.run()}>
        {isTaken ? "Release to the agent" : "Take over"}
      </Button>
    </section>
  )
}

interface ConversationProps {
  readonly conversation: Conversation
  readonly wanted: string | null
  readonly isLoading: boolean
  readonly onOlder: () => void
  readonly onChange: () => void
}

/** A long thread: how much of it is shown, and the way to the rest. */
const Older = ({ conversation, isLoading, onOlder }: ConversationProps): JSX.Element => {
  const { messages, olderCount } = conversation
  return (
    <Notice
      kind="neutral"
      title={`The newest ${numberText(messages.length)} messages of this thread are shown`}
      actions={
        <Button busy={isLoading} onClick={onOlder}>
          Show {numberText(Math.min(OLDER, olderCount))} older
        </Button>
      }
    >
      {countText(olderCount, "older message is", "older messages are")} not shown.
    </Notice>
  )
}

const ConversationView = (props: ConversationProps): JSX.Element => {
  const { conversation, wanted, onChange } = props
  const { messages, mailboxId, olderCount, thread } = conversation
  const newest = messages.at(-1)?.id
  const [opened, setOpened] = useState<ReadonlySet<string>>(
    () => new Set([wanted ?? newest ?? ""].filter((id) => id !== "")),
  )
  useEffect(() => {
    // What arrives while the thread is on the screen is open.
    if (newest !== undefined) setOpened((before) => new Set([...before, newest]))
  }, [newest])
  const { data: all } = useResource(mailboxes)
  const mailbox = all?.find(({ id }) => id === mailboxId)
  return (
    <>
      {thread !== null && <Answering thread={thread} onChange={onChange} />}
      {olderCount > 0 && <Older {...props} />}
      <ol class="thread">
        {messages.map((message) => (
          <li key={message.id}>
            <MessageCard
              listed={message}
              mailbox={mailbox}
              isOpen={opened.has(message.id)}
              isNewest={message.id === newest}
              isOnly={messages.length === 1}
              onToggle={() =>
                setOpened((before) => {
                  const after = new Set(before)
                  if (!after.delete(message.id)) after.add(message.id)
                  return after
                })
              }
              onChange={onChange}
            />
          </li>
        ))}
      </ol>
    </>
  )
}

const titleOf = ({ thread, messages }: Conversation): string =>
  subjectText(thread?.subject ?? messages[0]?.subject ?? "")

export const Page = ({ params }: PageProps): JSX.Element => {
  const { threadId = "" } = params
  const { query } = place.value
  const conversation = useConversation(threadId, query.get("mailbox"))
  const { data, reload } = conversation
  return (
    <div class="thread-page">
      <LinkButton kind="quiet" size="small" icon="arrowLeft" href={lastList.value}>
        Mail
      </LinkButton>
      <PageHead title={data === undefined ? "Thread" : titleOf(data)} />
      <Loaded resource={conversation} skeleton={<Skeleton lines={8} tall />}>
        {(shown) =>
          shown.messages.length === 0 ? (
            <p>All messages of this thread were deleted.</p>
          ) : (
            <ConversationView
              key={threadId}
              conversation={shown}
              wanted={query.get("message")}
              isLoading={conversation.isLoading}
              onOlder={conversation.showOlder}
              onChange={reload}
            />
          )
        }
      </Loaded>
    </div>
  )
}
