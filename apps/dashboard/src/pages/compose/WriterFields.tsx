/** From, recipients, subject, text and files of a mail. */
import type { Mailbox } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { SelectField, TextAreaField, TextField } from "../../components/Form.js"
import { RecipientsField } from "../../components/Recipients.js"
import { withText, type writingIssues } from "../../rules/writing.js"
import { Attachments } from "./Attachments.js"
import type { Composition } from "./Composition.js"
import type { Uploads } from "./useUploads.js"

interface WriterFieldsProps {
  readonly composition: Composition
  readonly mailboxes: ReadonlyArray<Mailbox>
  readonly issues: ReturnType<typeof writingIssues>
  readonly fileIssue: string | undefined
  readonly uploads: Uploads
  readonly onAddFiles: (files: ReadonlyArray<File>) => void
}

const nameOf = ({ fullAddress, displayName, status }: Mailbox): string => {
  const name = displayName === null ? fullAddress : `${displayName} <${fullAddress}>`
  return status === "ACTIVE" ? name : `${name} (${status})`
}

const Sender = ({
  composition,
  mailboxes,
}: Pick<WriterFieldsProps, "composition" | "mailboxes">): JSX.Element => {
  const mailboxId = composition.mailboxId.value
  const { inReplyTo } = composition.writing.value
  const own = mailboxes.filter(({ id }) => id === mailboxId)
  // An answer belongs to the conversation of its mailbox.
  const offered = inReplyTo === null ? mailboxes : own
  return (
    <SelectField
      name="from"
      label="From"
      value={mailboxId}
      options={offered.map((mailbox) => ({ value: mailbox.id, label: nameOf(mailbox) }))}
      onChange={(id) => composition.moveTo(id)}
    />
  )
}

export const WriterFields = (props: WriterFieldsProps): JSX.Element => {
  const { composition, mailboxes, issues, fileIssue, uploads, onAddFiles } = props
  const writing = composition.writing.value
  const [hasCopies, setCopies] = useState(writing.cc.length > 0 || writing.bcc.length > 0)
  return (
    <>
      <div class="mail-head">
        <Sender composition={composition} mailboxes={mailboxes} />
        <div class="to-row">
          <RecipientsField
            name="to"
            label="To"
            value={writing.to}
            onChange={(to) => composition.change({ to })}
            wrong={issues.to}
          />
          {!hasCopies && (
            <button class="copies-button" type="button" onClick={() => setCopies(true)}>
              Add copies
            </button>
          )}
        </div>
        {hasCopies && (
          <>
            <RecipientsField
              name="cc"
              label="Cc"
              value={writing.cc}
              onChange={(cc) => composition.change({ cc })}
              wrong={issues.cc}
            />
            <RecipientsField
              name="bcc"
              label="Bcc"
              value={writing.bcc}
              onChange={(bcc) => composition.change({ bcc })}
              wrong={issues.bcc}
            />
          </>
        )}
        <TextField
          name="subject"
          label="Subject"
          value={writing.subject}
          onInput={(subject) => composition.change({ subject })}
          wrong={issues.subject}
        />
      </div>
      <TextAreaField
        name="bodyText"
        label="Text"
        rows={12}
        value={writing.text}
        onInput={(text) => composition.change(withText(composition.writing.value, text))}
        wrong={issues.text}
      />
      {fileIssue !== undefined && (
        <p class="field-error" role="alert">
          {fileIssue}
        </p>
      )}
      <Attachments
        files={writing.files}
        running={uploads.running}
        onAdd={onAddFiles}
        onCancel={uploads.cancel}
        onRemove={(id) => {
          composition.change({ files: writing.files.filter((file) => file.id !== id) })
          uploads.drop(id)
        }}
      />
    </>
  )
}
