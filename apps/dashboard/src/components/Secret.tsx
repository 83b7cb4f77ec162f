/** A secret that is shown once: it is gone when the dialog closes. */
import type { ComponentChildren, JSX } from "preact"
import { Button } from "./Button.js"
import { CopyField } from "./Copy.js"
import { Dialog, DialogActions } from "./Dialog.js"
import { Notice } from "./Notice.js"

interface SecretProps {
  readonly title: string
  /** what the secret is, such as `key` */
  readonly label: string
  readonly secret: string
  readonly onClose: () => void
  /** what to do with it */
  readonly children?: ComponentChildren
}

export const SecretDialog = ({ title, label, secret, onClose, children }: SecretProps): JSX.Element => (
  <Dialog title={title} onClose={onClose} wide firm>
    <div class="stack">
      <Notice kind="warn" title="Copy it now">
        Mailroom does not show this {label} again.
      </Notice>
      <CopyField label={label} text={secret} />
      {children}
      <DialogActions>
        <Button kind="primary" onClick={onClose}>
          Done, I have stored it
        </Button>
      </DialogActions>
    </div>
  </Dialog>
)
