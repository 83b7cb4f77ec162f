/** Asks before changes are lost: in the dashboard by a dialog, and when the tab is closed by the browser. */
import type { JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { navigate, setLeaveGuard } from "../app/router.js"
import { Button } from "./Button.js"
import { Dialog, DialogActions } from "./Dialog.js"

interface LeaveGuardProps {
  /** what the reader would lose: leaving is asked about while it is there */
  readonly losing: string | null
  /** whether closing the tab now would lose something, although leaving the page would not */
  readonly isBusy: boolean
}

export const LeaveGuard = ({ losing, isBusy }: LeaveGuardProps): JSX.Element | null => {
  const [wanted, setWanted] = useState<string | null>(null)
  const latest = useRef(losing)
  latest.current = losing
  useEffect(() => {
    setLeaveGuard((to) => {
      if (latest.current === null) return true
      setWanted(to)
      return false
    })
    return () => setLeaveGuard(null)
  }, [])
  const holdsTab = losing !== null || isBusy
  useEffect(() => {
    if (!holdsTab) return undefined
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    globalThis.addEventListener("beforeunload", ask)
    return () => globalThis.removeEventListener("beforeunload", ask)
  }, [holdsTab])
  if (wanted === null || losing === null) return null
  return (
    <Dialog title="Leave this page?" onClose={() => setWanted(null)}>
      <p>{losing}</p>
      <DialogActions>
        <Button onClick={() => setWanted(null)}>Stay here</Button>
        <Button
          kind="danger"
          onClick={() => {
            setLeaveGuard(null)
            navigate(wanted)
          }}
        >
          Leave and lose it
        </Button>
      </DialogActions>
    </Dialog>
  )
}
