/** A step of the checklist, which ticks itself. */
import type { ComponentChildren, JSX } from "preact"
import { Icon } from "../../components/Icon.js"

interface StepProps {
  readonly number: number
  readonly title: string
  readonly isDone: boolean
  /** what was done, in a line */
  readonly done: ComponentChildren
  /** how to do it */
  readonly children: ComponentChildren
}

export const Step = ({ number, title, isDone, done, children }: StepProps): JSX.Element => (
  <li class={isDone ? "step done" : "step"}>
    <span class="step-mark" aria-hidden="true">
      {isDone ? <Icon name="check" size={16} /> : number}
    </span>
    <div class="step-body">
      <h2>
        {title}
        <span class="visually-hidden">{isDone ? " (done)" : " (to do)"}</span>
      </h2>
      {isDone ? <p class="step-done">{done}</p> : children}
    </div>
  </li>
)
