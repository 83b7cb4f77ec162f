/** A table, which becomes a list of cards on a phone. */
import type { ComponentChildren, JSX } from "preact"

export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ComponentChildren
  /** numbers stand at the end */
  readonly align?: "start" | "end"
  /** the name is for screen readers only, such as that of buttons */
  readonly hasHiddenName?: boolean
  /** not shown on a phone */
  readonly wideOnly?: boolean
}

interface TableProps<Row> {
  /** what the table lists, for a screen reader */
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string
}

const classOf = <Row,>({ align, wideOnly }: Column<Row>): string =>
  [align === "end" ? "end" : "", wideOnly === true ? "wide-only" : ""].filter((name) => name !== "").join(" ")

export const Table = <Row,>({ label, columns, rows, keyOf }: TableProps<Row>): JSX.Element => (
  <table class="table">
    <caption class="visually-hidden">{label}</caption>
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column.name} scope="col" class={classOf(column)}>
            {column.hasHiddenName === true ? <span class="visually-hidden">{column.name}</span> : column.name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={keyOf(row)}>
          {columns.map((column) => (
            <td
              key={column.name}
              class={classOf(column)}
              data-name={column.hasHiddenName === true ? "" : column.name}
            >
              {column.cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)
