/** Whether the service has what was written. */
import type { JSX } from "preact"
import { Time } from "../../components/Values.js"
import type { SaveState } from "./Composition.js"

export const SaveText = ({ state, isUploading }: { state: SaveState; isUploading: boolean }): JSX.Element => (
  <span class="save-text" role="status">
    {isUploading ? "Uploading…" : null}
    {!isUploading && (state.kind === "saving" || state.kind === "waiting") && "Saving…"}
    {!isUploading && state.kind === "saved" && (
      <>
        Saved <Time at={state.at.toISOString()} />
      </>
    )}
    {!isUploading && state.kind === "failed" && "Not saved"}
  </span>
)
