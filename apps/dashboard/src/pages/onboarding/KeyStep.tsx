/** The key of the agent: the one that the signup made, while this page still knows it, or a new one. */
import type { JSX } from "preact"
import { Button } from "../../components/Button.js"
import { CodeBlock, CopyField } from "../../components/Copy.js"
import { Failure } from "../../components/Loaded.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"
import { freshKey } from "../../data/freshKey.js"
import { type Agent, firstUse } from "../../rules/snippets.js"

export const KeyStep = ({ agent }: { agent: Agent }): JSX.Element => {
  const create = useAction(async () => {
    const { key } = await mailroom.keys.create({ name: "First agent", mailboxIds: [agent.mailboxId] })
    freshKey.value = key
  })
  return (
    <>
      {freshKey.value === null ? (
        <>
          <p>
            An agent needs a key. This one reads, drafts and sends in this mailbox, and may do nothing else.
          </p>
          {create.error !== undefined && <Failure error={create.error} />}
          <div class="step-actions">
            <Button kind="primary" icon="key" busy={create.isRunning} onClick={() => create.run()}>
              Create a key
            </Button>
          </div>
        </>
      ) : (
        <>
          <p>
            Copy the key now: it is shown once, on this page. Give it to your agent, or try it in a terminal.
          </p>
          <CopyField label="the key" text={freshKey.value} />
        </>
      )}
      <CodeBlock label="Use the key" codes={firstUse(agent)} />
    </>
  )
}
