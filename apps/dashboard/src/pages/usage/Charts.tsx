/** What was sent and received over a time: two charts, or the same figures as a table. */
import type { Metrics } from "@mailroom/client"
import type { JSX } from "preact"
import { useMemo } from "preact/hooks"
import { Card } from "../../components/Page.js"
import { Table } from "../../components/Table.js"
import { type Counted, chartText, columnsOf, pointName } from "../../rules/series.js"
import { numberText } from "../../rules/texts.js"
import { Chart } from "./Chart.js"

interface ChartsProps {
  readonly metrics: Metrics
  readonly groupBy: "hour" | "day"
  readonly asTable: boolean
}

interface Panel {
  readonly title: string
  readonly counted: ReadonlyArray<{ readonly name: Counted; readonly label: string; readonly colour: string }>
}

const panels: ReadonlyArray<Panel> = [
  {
    title: "Received and sent",
    counted: [
      { name: "received", label: "Received", colour: "--accent" },
      { name: "sent", label: "Sent", colour: "--good" },
    ],
  },
  {
    title: "Bounced and reported as spam",
    counted: [
      { name: "bounced", label: "Bounced", colour: "--warn" },
      { name: "complained", label: "Reported as spam", colour: "--bad" },
    ],
  },
]

const PanelChart = ({
  panel,
  metrics,
  groupBy,
}: { panel: Panel } & Omit<ChartsProps, "asTable">): JSX.Element => {
  const { times, lines, label } = useMemo(() => {
    const names = panel.counted.map(({ name }) => name)
    const columns = columnsOf(metrics.series, names)
    return {
      times: columns.times,
      lines: panel.counted.map(({ label: title, colour }, index) => ({
        label: title,
        colour,
        values: columns.values[index] ?? [],
      })),
      label: `${panel.title}. ${chartText(metrics.series, names, groupBy)}`,
    }
  }, [panel, metrics, groupBy])
  return (
    <Card title={panel.title}>
      <Chart label={label} times={times} lines={lines} groupBy={groupBy} />
    </Card>
  )
}

const columns = panels.flatMap(({ counted }) => counted)

export const Charts = ({ metrics, groupBy, asTable }: ChartsProps): JSX.Element =>
  asTable ? (
    <Card flush>
      <div class="figures" role="region" aria-label="Figures" tabIndex={0}>
        <Table
          label={`Mail by the ${groupBy}`}
          rows={metrics.series.toReversed()}
          keyOf={({ at }) => at}
          columns={[
            { name: groupBy === "day" ? "Day (UTC)" : "Hour", cell: ({ at }) => pointName(at, groupBy) },
            ...columns.map(({ name, label }) => ({
              name: label,
              align: "end" as const,
              cell: (point: Metrics["series"][number]) => numberText(point[name]),
            })),
          ]}
        />
      </div>
    </Card>
  ) : (
    <>
      {panels.map((panel) => (
        <PanelChart key={panel.title} panel={panel} metrics={metrics} groupBy={groupBy} />
      ))}
    </>
  )
