/** The files of a message: download them, or read their text here. */
import type { Attachment, Message } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, IconButton } from "../../components/Button.js"
import { Dialog } from "../../components/Dialog.js"
import { Icon } from "../../components/Icon.js"
import { Failure } from "../../components/Loaded.js"
import { Empty, Skeleton } from "../../components/Notice.js"
import { sayError } from "../../components/Toasts.js"
import { Bytes } from "../../components/Values.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"
import { loader, useResource } from "../../data/resource.js"
import { fileTypeText, listedFiles, mayHaveText } from "../../rules/files.js"
import { numberText } from "../../rules/texts.js"

/** Characters of a file's text that are loaded at once. */
const PART = 50_000

interface ReadText {
  readonly text: string
  readonly total: number
  readonly nextOffset: number | null
}

const texts = loader<ReadText>((attachmentId, signal) =>
  mailroom.attachments.text(attachmentId, { maxChars: PART }, { signal }),
)

const FileText = ({ file, onClose }: { file: Attachment; onClose: () => void }): JSX.Element => {
  const { data, error, reload, set } = useResource(texts, file.id)
  const more = useAction(async () => {
    if (data === undefined || data.nextOffset === null) return
    try {
      const part = await mailroom.attachments.text(file.id, { offset: data.nextOffset, maxChars: PART })
      set({ text: data.text + part.text, total: part.total, nextOffset: part.nextOffset })
    } catch (failure) {
      sayError(failure)
    }
  })
  return (
    <Dialog title={file.filename} onClose={onClose} wide>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {data === undefined && error === undefined && <Skeleton lines={10} />}
      {data?.text.trim() === "" && (
        <Empty icon="list" title="No text in this file">
          <p>It may be a scan. Download it to see it.</p>
        </Empty>
      )}
      {data !== undefined && data.text.trim() !== "" && (
        <div class="file-text" tabIndex={0} role="region" aria-label={`Text of ${file.filename}`} dir="auto">
          {data.text}
        </div>
      )}
      {data !== undefined && data.nextOffset !== null && (
        <div class="file-more">
          <span class="faint">
            {numberText(data.nextOffset)} of {numberText(data.total)} characters
          </span>
          <Button size="small" busy={more.isRunning} onClick={() => more.run()}>
            Show more
          </Button>
        </div>
      )}
    </Dialog>
  )
}

/** Lets the browser save a file, by its link that holds for a while, without reading it into the page. */
const download = async ({ id, filename }: Attachment): Promise<void> => {
  const { url } = await mailroom.attachments.get(id)
  const { pathname, search } = new URL(url)
  const link = document.createElement("a")
  // At the address of the page: the service may have another name outside.
  link.href = `${pathname}${search}`
  link.download = filename
  link.click()
}

interface LineProps {
  readonly file: Attachment
  /** whether the service gives it out: not while its message is quarantined */
  readonly isOpen: boolean
}

const FileLine = ({ file, isOpen }: LineProps): JSX.Element => {
  const [isRead, setRead] = useState(false)
  return (
    <li class="file-line">
      <Icon name="paperclip" size={16} />
      <span class="file-name">
        <span class="clip" dir="auto">
          {file.filename}
        </span>
        <span class="faint">
          {fileTypeText(file.contentType, file.filename)}, <Bytes value={file.sizeBytes} />
        </span>
      </span>
      {isOpen && mayHaveText(file.contentType) && (
        <Button
          size="small"
          kind="quiet"
          label={`Read the text of ${file.filename}`}
          onClick={() => setRead(true)}
        >
          Read
        </Button>
      )}
      {isOpen && (
        <IconButton
          icon="download"
          label={`Download ${file.filename}`}
          onClick={() => void download(file).catch(sayError)}
        />
      )}
      {isRead && <FileText file={file} onClose={() => setRead(false)} />}
    </li>
  )
}

export const Files = ({ message }: { message: Message }): JSX.Element | null => {
  const files = listedFiles(message)
  if (files.length === 0) return null
  return (
    <ul class="file-list" aria-label="Files">
      {files.map((file) => (
        <FileLine key={file.id} file={file} isOpen={message.quarantined === null} />
      ))}
    </ul>
  )
}
