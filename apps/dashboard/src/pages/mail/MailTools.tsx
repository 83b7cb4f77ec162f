/** What the list shows: which mailbox, which folder, and the search. */
import type { Mailbox } from "@mailroom/client"
import type { JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { setQuery } from "../../app/router.js"
import { useShortcuts } from "../../app/shortcuts.js"
import { IconButton } from "../../components/Button.js"
import { Icon } from "../../components/Icon.js"
import { Popover } from "../../components/Popover.js"
import { type Folder, folders, type MailView } from "../../rules/folders.js"
import { searchExamples, withExample } from "../../rules/searchHelp.js"

const goTo = (folder: Folder): void => setQuery({ folder: folder === "inbox" ? null : folder, q: null })

export const Folders = ({ view }: { view: MailView }): JSX.Element => {
  useShortcuts(
    folders.map(({ name, label }, index) => ({
      keys: String(index + 1),
      does: `Show ${label}`,
      run: () => goTo(name),
    })),
  )
  return (
    <nav class="mail-folders" aria-label="Folders">
      {folders.map(({ name, label }) => (
        <button
          key={name}
          type="button"
          class="mail-folder"
          aria-current={view.search === "" && view.folder === name ? "true" : undefined}
          onClick={() => goTo(name)}
        >
          {label}
        </button>
      ))}
      {view.label !== null && (
        <button type="button" class="mail-folder" onClick={() => setQuery({ label: null })}>
          <Icon name="label" size={14} /> {view.label} <Icon name="close" size={14} />
          <span class="visually-hidden">Show all labels</span>
        </button>
      )}
    </nav>
  )
}

export const MailboxChoice = ({
  mailboxes,
  chosen,
}: {
  mailboxes: ReadonlyArray<Mailbox>
  chosen: string | null
}): JSX.Element => (
  <select
    class="input mail-choice"
    aria-label="Mailbox"
    value={chosen ?? ""}
    onChange={({ currentTarget: { value } }) => setQuery({ mailbox: value === "" ? null : value })}
  >
    <option value="">All mailboxes</option>
    {mailboxes.map(({ id, fullAddress }) => (
      <option key={id} value={id}>
        {fullAddress}
      </option>
    ))}
  </select>
)

const Help = ({ onChoose }: { onChoose: (query: string) => void }): JSX.Element => (
  <div class="search-help">
    <p>Words must all match. Choose an example to add it:</p>
    <ul>
      {searchExamples.map(({ query, means }) => (
        <li key={query}>
          <button type="button" onClick={() => onChoose(query)}>
            <code>{query}</code> <span>{means}</span>
          </button>
        </li>
      ))}
    </ul>
  </div>
)

export const SearchField = ({ search }: { search: string }): JSX.Element => {
  const [text, setText] = useState(search)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => setText(search), [search])
  useShortcuts([{ keys: "/", does: "Search", run: () => field.current?.focus() }])
  return (
    <form
      class="mail-search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        setQuery({ q: text.trim() === "" ? null : text.trim() })
      }}
    >
      <Icon name="search" size={16} />
      <input
        ref={field}
        class="input"
        type="search"
        aria-label="Search mail"
        placeholder="Search mail"
        enterKeyHint="search"
        value={text}
        spellcheck={false}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          // The cross of the field, which browsers show.
          if (currentTarget.value === "") setQuery({ q: null })
        }}
      />
      {search !== "" && (
        <IconButton icon="close" label="Clear the search" onClick={() => setQuery({ q: null })} />
      )}
      <Popover button={<Icon name="help" />} label="How to search">
        {(close) => (
          <Help
            onChoose={(example) => {
              setText(withExample(text, example))
              close()
              field.current?.focus()
            }}
          />
        )}
      </Popover>
    </form>
  )
}
