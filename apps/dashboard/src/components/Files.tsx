/** Files of a mail: to save, and to remove while it is written. */
import type { JSX } from "preact"
import { useAction } from "../data/action.js"
import { saveFile } from "../data/download.js"
import { bytesText } from "../rules/texts.js"
import { Icon } from "./Icon.js"
import { sayError } from "./Toasts.js"

export interface ShownFile {
  readonly id: string
  readonly filename: string
  readonly contentType: string
  readonly sizeBytes: number
}

const FileLine = ({
  file,
  onRemove,
}: {
  file: ShownFile
  onRemove?: (() => void) | undefined
}): JSX.Element => {
  const save = useAction(() => saveFile(file.id, file.filename).catch(sayError))
  return (
    <li class="attached">
      <Icon name="file" />
      <span class="attached-text">
        <button
          class="attached-name"
          type="button"
          aria-label={`Save ${file.filename}`}
          aria-busy={save.isRunning}
          onClick={() => save.run()}
        >
          <bdi>{file.filename}</bdi>
        </button>
        <span class="faint">
          {bytesText(file.sizeBytes)} · {file.contentType}
        </span>
      </span>
      {onRemove !== undefined && (
        <button class="chip-remove" type="button" aria-label={`Remove ${file.filename}`} onClick={onRemove}>
          <Icon name="close" size={16} />
        </button>
      )}
    </li>
  )
}

interface FilesProps {
  readonly files: ReadonlyArray<ShownFile>
  readonly onRemove?: (id: string) => void
}

export const Files = ({ files, onRemove }: FilesProps): JSX.Element => (
  <ul class="attached-files" aria-label="Files">
    {files.map((file) => (
      <FileLine key={file.id} file={file} onRemove={onRemove && (() => onRemove(file.id))} />
    ))}
  </ul>
)
