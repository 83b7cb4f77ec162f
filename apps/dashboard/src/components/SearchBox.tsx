/** A field that searches when its text is entered. */
import type { JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { useShortcuts } from "../app/shortcuts.js"
import { Icon } from "./Icon.js"

interface SearchBoxProps {
  readonly label: string
  readonly placeholder?: string
  /** what is searched for now */
  readonly value: string
  readonly onSearch: (text: string) => void
}

export const SearchBox = ({ label, placeholder, value, onSearch }: SearchBoxProps): JSX.Element => {
  const [text, setText] = useState(value)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => setText(value), [value])
  useShortcuts([{ keys: "/", does: label, run: () => input.current?.focus() }])
  return (
    <form
      class="search-box"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        onSearch(text.trim())
      }}
    >
      <Icon name="search" size={16} />
      <input
        ref={input}
        class="input"
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={text}
        autoComplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          // The cross of the field empties it: that ends the search.
          if (currentTarget.value === "" && value !== "") onSearch("")
        }}
      />
    </form>
  )
}
