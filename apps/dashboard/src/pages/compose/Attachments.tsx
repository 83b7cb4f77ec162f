/** The files of a mail that is written: chosen, dropped or pasted; on their way; and those that are there. */
import type { JSX } from "preact"
import { useRef } from "preact/hooks"
import { Button } from "../../components/Button.js"
import { Files } from "../../components/Files.js"
import { Icon } from "../../components/Icon.js"
import { errorWords } from "../../rules/errors.js"
import { bytesText } from "../../rules/texts.js"
import type { WrittenFile } from "../../rules/writing.js"
import type { Upload } from "./useUploads.js"

const Running = ({ upload, onCancel }: { upload: Upload; onCancel: () => void }): JSX.Element => {
  const { filename, sizeBytes, share, error } = upload
  return (
    <li class={error === undefined ? "attached" : "attached bad"}>
      <Icon name={error === undefined ? "file" : "warning"} />
      <span class="attached-text">
        <bdi class="clip">{filename}</bdi>
        {error === undefined ? (
          <progress max={1} value={share} aria-label={`Uploading ${filename}`}>
            {Math.round(share * 100)} %
          </progress>
        ) : (
          <span role="alert">{errorWords(error).text}</span>
        )}
      </span>
      {error === undefined && <span class="faint">{bytesText(sizeBytes)}</span>}
      <button
        class="chip-remove"
        type="button"
        aria-label={error === undefined ? `Stop uploading ${filename}` : `Remove ${filename}`}
        onClick={onCancel}
      >
        <Icon name="close" size={16} />
      </button>
    </li>
  )
}

interface AttachmentsProps {
  readonly files: ReadonlyArray<WrittenFile>
  readonly running: ReadonlyArray<Upload>
  readonly onAdd: (files: ReadonlyArray<File>) => void
  readonly onCancel: (key: number) => void
  readonly onRemove: (id: string) => void
}

export const Attachments = ({ files, running, onAdd, onCancel, onRemove }: AttachmentsProps): JSX.Element => {
  const input = useRef<HTMLInputElement>(null)
  return (
    <div class="attachments">
      {files.length > 0 && <Files files={files} onRemove={onRemove} />}
      {running.length > 0 && (
        <ul class="attached-files" aria-label="Uploads">
          {running.map((upload) => (
            <Running key={upload.key} upload={upload} onCancel={() => onCancel(upload.key)} />
          ))}
        </ul>
      )}
      <input
        ref={input}
        class="visually-hidden"
        type="file"
        multiple
        tabIndex={-1}
        aria-label="Files to attach"
        onChange={({ currentTarget }) => {
          onAdd([...(currentTarget.files ?? [])])
          currentTarget.value = ""
        }}
      />
      <p class="attach">
        <Button kind="quiet" size="small" icon="paperclip" onClick={() => input.current?.click()}>
          Attach files
        </Button>
        <span class="faint wide-only">or drop them anywhere here</span>
      </p>
    </div>
  )
}
