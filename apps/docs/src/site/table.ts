/** A table that scrolls sideways where it is too wide, also by keyboard. */
export const tableHtml = (head: string, rows: string): string =>
  `<div class="table" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>`
