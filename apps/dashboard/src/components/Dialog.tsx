/** Dialogs, on the `<dialog>` of the browser, which keeps the focus inside and closes by Escape. */
import type { ComponentChildren, JSX } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { useAction } from "../data/action.js"
import { Button, IconButton } from "./Button.js"
import { Form, TextField } from "./Form.js"

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  readonly wide?: boolean
  /** stays when its backdrop is pressed, because what it shows is gone afterwards */
  readonly firm?: boolean
}

/** Shown while it is rendered: `{open && <Dialog …/>}`. The focus goes back to where it was. */
export const Dialog = ({ title, onClose, children, wide = false, firm }: DialogProps): JSX.Element => {
  const dialog = useRef<HTMLDialogElement>(null)
  /** where the pointer was pressed: text that is selected up to the backdrop ends in a click on the dialog, too */
  const pressed = useRef<EventTarget | null>(null)
  const id = useId()
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={wide ? "dialog wide" : "dialog"}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onPointerDown={({ target }) => {
        pressed.current = target
      }}
      onClick={({ target }) => {
        // The dialog itself is the target of clicks on its backdrop.
        if (!firm && target === dialog.current && pressed.current === target) onClose()
      }}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id={id}>{title}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  )
}

export const DialogActions = ({ children }: { children: ComponentChildren }): JSX.Element => (
  <footer class="dialog-actions">{children}</footer>
)

interface ConfirmProps {
  readonly title: string
  readonly children: ComponentChildren
  /** the word on the button, such as `Delete mailbox` */
  readonly action: string
  readonly danger?: boolean
  /** a word that has to be typed first, for what cannot be undone */
  readonly typed?: string
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks before something is done. Stays open, with the reason, when it fails. */
export const ConfirmDialog = (props: ConfirmProps): JSX.Element => {
  const { title, children, action, danger = false, typed, onConfirm, onClose } = props
  const [text, setText] = useState("")
  const confirm = useAction(async () => {
    await onConfirm()
    onClose()
  })
  const isReady = typed === undefined || text === typed
  return (
    <Dialog title={title} onClose={onClose}>
      <Form fields={[]} error={confirm.error} onSubmit={() => isReady && confirm.run()}>
        <div class="prose">{children}</div>
        {typed !== undefined && (
          <TextField name="typed" label={`Type ${typed} to go on`} value={text} onInput={setText} />
        )}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind={danger ? "danger" : "primary"}
            busy={confirm.isRunning}
            disabled={!isReady}
          >
            {action}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
