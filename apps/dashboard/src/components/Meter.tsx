/** How much of a limit is used. */
import type { ComponentChildren, JSX } from "preact"
import { quota } from "../rules/series.js"

interface MeterProps {
  readonly label: string
  readonly used: number
  /** null: without limit */
  readonly limit: number | null
  /** the figures in words */
  readonly children: ComponentChildren
}

export const Meter = ({ label, used, limit, children }: MeterProps): JSX.Element => {
  const { share, tone } = quota(used, limit)
  return (
    <div class="meter">
      <div class="meter-head">
        <span>{label}</span>
        <span class="meter-figures">{children}</span>
      </div>
      <div
        class={`meter-track ${tone}`}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={limit ?? undefined}
        aria-valuenow={limit === null ? 0 : Math.min(used, limit)}
        aria-valuetext={limit === null ? "without limit" : `${Math.round((share ?? 0) * 100)} percent`}
      >
        <span style={{ width: `${(share ?? 0) * 100}%` }} />
      </div>
    </div>
  )
}
