/** What can be done with several mails that were each shown whole. */
import type { JSX } from "preact"
import { Button } from "../../components/Button.js"
import { useAction } from "../../data/action.js"
import { countText } from "../../rules/texts.js"

interface ChosenBarProps {
  readonly count: number
  readonly onApprove: () => Promise<unknown>
  readonly onReject: () => void
  readonly onClear: () => void
}

export const ChosenBar = ({ count, onApprove, onReject, onClear }: ChosenBarProps): JSX.Element => {
  const approve = useAction(onApprove)
  return (
    <div class="chosen-bar" role="region" aria-label="Chosen mails">
      <span aria-live="polite">{countText(count, "mail")} chosen</span>
      <Button kind="primary" size="small" busy={approve.isRunning} onClick={() => approve.run()}>
        {`Approve and send ${count}`}
      </Button>
      <Button size="small" onClick={onReject}>
        {`Reject ${count}`}
      </Button>
      <Button kind="quiet" size="small" onClick={onClear}>
        Choose none
      </Button>
    </div>
  )
}
