/** The examination of stored counts, as the command `doctor` does it. */
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../components/Button.js"
import { Failure } from "../../components/Loaded.js"
import { Notice } from "../../components/Notice.js"
import { Card } from "../../components/Page.js"
import { Table } from "../../components/Table.js"
import { useAction } from "../../data/action.js"
import { countText } from "../../rules/texts.js"
import { admin } from "./operatorApi.js"

type Examination = Awaited<ReturnType<ReturnType<typeof admin>["doctor"]>>

const shown = (value: number | null): string => (value === null ? "never" : String(value))

const Result = ({ found }: { found: Examination }): JSX.Element => {
  const rest = found.isComplete
    ? ""
    : " The time was over before all were compared: the command doctor compares the rest."
  if (found.wrong === 0)
    return (
      <Notice kind="good" title="Nothing is wrong">
        {countText(found.compared, "count")} compared.{rest}
      </Notice>
    )
  return (
    <>
      <Notice
        kind="warn"
        title={`${countText(found.wrong, "count was", "counts were")} wrong, and corrected`}
      >
        {countText(found.compared, "count")} compared.{rest}
      </Notice>
      <Table
        label="Corrected counts"
        rows={found.findings}
        keyOf={({ check, id }) => `${check} ${id}`}
        columns={[
          { name: "Count", cell: ({ check }) => check },
          { name: "Account", cell: ({ accountId }) => <code>{accountId}</code> },
          { name: "Was", align: "end", cell: ({ stored }) => shown(stored) },
          { name: "Is", align: "end", cell: ({ counted }) => shown(counted) },
        ]}
      />
    </>
  )
}

export const Doctor = (): JSX.Element => {
  const [found, setFound] = useState<Examination | null>(null)
  const run = useAction(async () => setFound(await admin().doctor()))
  return (
    <Card
      title="Doctor"
      actions={
        <Button size="small" busy={run.isRunning} onClick={() => run.run()}>
          Examine now
        </Button>
      }
    >
      {run.error !== undefined && <Failure error={run.error} onRetry={() => run.run()} />}
      {found === null ? (
        <p class="faint">
          Compares stored counts, such as the messages of a thread, with the rows that they count. Wrong ones
          are corrected. It takes ten seconds at most.
        </p>
      ) : (
        <Result found={found} />
      )}
    </Card>
  )
}
