/** The name of the service with its mark. */
import type { JSX } from "preact"

export const Brand = ({ href }: { href: string }): JSX.Element => (
  <a class="brand" href={href}>
    <svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect class="brand-ground" width="32" height="32" rx="8" />
      <path class="brand-line" d="M8 11.5h16v10a1 1 0 0 1-1 1H9a1 1 0 0 1-1-1zm0 0 8 6 8-6" />
    </svg>
    Mailroom
  </a>
)
