/** The shortcuts of the present page. */
import type { JSX } from "preact"
import { Dialog } from "../components/Dialog.js"
import { shortcuts } from "./shortcuts.js"

/** Of several with the same keys, the one that they run: the last. */
const atHand = () => [...new Map(shortcuts.value.map((one) => [one.keys, one])).values()]

export const ShortcutHelp = ({ onClose }: { onClose: () => void }): JSX.Element => (
  <Dialog title="Keyboard shortcuts" onClose={onClose}>
    <dl class="shortcuts">
      {atHand().map(({ keys, does }) => (
        <div key={keys}>
          <dt>{does}</dt>
          <dd>
            {keys.split(" ").map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  </Dialog>
)
