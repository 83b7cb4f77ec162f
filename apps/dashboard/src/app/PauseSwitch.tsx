/** The switch on every page that stops all sends of the account at once. Starting again is asked for, stopping is not. */
import { useState } from "preact/hooks"
import type { JSX } from "preact"
import { ConfirmDialog } from "../components/Dialog.js"
import { Icon } from "../components/Icon.js"
import { say, sayError } from "../components/Toasts.js"
import { useAction } from "../data/action.js"
import { mailroom } from "../data/client.js"
import { account, setAccount } from "../data/session.js"

const setPaused = async (sendingPaused: boolean): Promise<void> => {
  setAccount(await mailroom.account.update({ sendingPaused }))
  say(sendingPaused ? "All sending is paused." : "Sending goes on.")
}

export const PauseSwitch = (): JSX.Element => {
  const [isAsking, setAsking] = useState(false)
  const pause = useAction(() => setPaused(true).catch(sayError))
  const isPaused = account.value?.sendingPaused === true
  return (
    <>
      <button
        class="pause"
        type="button"
        role="switch"
        aria-checked={isPaused}
        aria-busy={pause.isRunning}
        onClick={() => (isPaused ? setAsking(true) : pause.run())}
      >
        <Icon name={isPaused ? "play" : "pause"} size={16} />
        <span>Pause all sending</span>
        <span class="pause-track" aria-hidden="true" />
      </button>
      {isAsking && (
        <ConfirmDialog
          title="Let the agents send again?"
          action="Resume sending"
          onConfirm={() => setPaused(false)}
          onClose={() => setAsking(false)}
        >
          <p>Sends are accepted again, and scheduled mails whose time has come leave now.</p>
        </ConfirmDialog>
      )}
    </>
  )
}
