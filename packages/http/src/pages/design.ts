/**
 * The design of all pages: colours, sizes and fonts as custom properties of CSS. The pages without script have it in
 * themselves; the build of the dashboard imports it. All pairs of text and ground have a contrast of 4.5 to 1 at least, borders
 * of controls 3 to 1 (WCAG 2.2 AA).
 */

const light = `
  color-scheme: light;
  --ground: #fafafb;
  --surface: #ffffff;
  --sunken: #f3f4f6;
  --raised: #ffffff;
  --border: #e3e5ea;
  --border-control: #878d9c;
  --text: #16181d;
  --text-soft: #4d5360;
  --text-faint: #606673;
  --accent: #4a4fdc;
  --accent-strong: #3a3ec4;
  --accent-text: #4348cf;
  --accent-soft: #eeeffd;
  --on-accent: #ffffff;
  --good: #11694a;
  --good-soft: #e4f5ec;
  --warn: #805000;
  --warn-soft: #fdf2dc;
  --bad: #b0241c;
  --bad-soft: #fdebe9;
  --bad-solid: #c02a21;
  --shadow: 0 1px 2px rgb(16 18 24 / 6%), 0 1px 1px rgb(16 18 24 / 4%);
  --shadow-high: 0 16px 48px rgb(16 18 24 / 16%), 0 2px 8px rgb(16 18 24 / 8%);
  --veil: rgb(16 18 24 / 40%);
`

const dark = `
  color-scheme: dark;
  --ground: #0d0e11;
  --surface: #14161a;
  --sunken: #0a0b0d;
  --raised: #1b1e23;
  --border: #272b32;
  --border-control: #717886;
  --text: #eceef2;
  --text-soft: #b0b6c1;
  --text-faint: #9299a6;
  --accent: #5b60ea;
  --accent-strong: #4d52dc;
  --accent-text: #a0a4ff;
  --accent-soft: #1e2040;
  --on-accent: #ffffff;
  --good: #5fd39b;
  --good-soft: #10291e;
  --warn: #f0b458;
  --warn-soft: #2d210f;
  --bad: #ff8f86;
  --bad-soft: #371816;
  --bad-solid: #c93a31;
  --shadow: 0 1px 2px rgb(0 0 0 / 40%);
  --shadow-high: 0 16px 48px rgb(0 0 0 / 60%), 0 0 0 1px #272b32;
  --veil: rgb(0 0 0 / 60%);
`

/** `data-theme` on the root is the choice of the reader; without it, the system's theme holds. Paper is light. */
export const tokens = `
:root {${light}
  --font: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --radius: 8px;
  --radius-small: 6px;
  --radius-large: 12px;
}
@media screen and (prefers-color-scheme: dark) {
  :root:not([data-theme="light"]) {${dark}}
}
@media screen {
  :root[data-theme="dark"] {${dark}}
}
`

/** The mark of the service beside its name. */
export const MARK =
  '<svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true"><rect class="mark-ground" width="32" height="32" rx="8"/>' +
  '<path class="mark-line" d="M8 11.5h16v10a1 1 0 0 1-1 1H9a1 1 0 0 1-1-1zm0 0 8 6 8-6"/></svg>'

/** The same as the icon of a page. */
export const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' " +
  "fill='%234a4fdc'/%3E%3Cpath d='M8 11.5h16v10a1 1 0 0 1-1 1H9a1 1 0 0 1-1-1zm0 0 8 6 8-6' fill='none' stroke='%23fff' " +
  "stroke-width='2' stroke-linejoin='round'/%3E%3C/svg%3E"

/** What all pages without script share. */
export const documentStyle = `${tokens}
*, *::before, *::after { box-sizing: border-box }
html { background: var(--ground); color: var(--text); font: 15px/1.55 var(--font); -webkit-text-size-adjust: 100% }
body { margin: 0; min-height: 100vh }
h1, h2, h3, p, ul, pre, dl, dd { margin: 0 }
ul { padding: 0; list-style: none }
a { color: var(--accent-text); text-underline-offset: 3px; text-decoration-thickness: 1px }
code, pre { font-family: var(--mono); font-size: .87em }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.brand { display: inline-flex; align-items: center; gap: 10px; color: var(--text); font-weight: 640; text-decoration: none }
.mark-ground { fill: var(--accent) }
.mark-line { fill: none; stroke: #fff; stroke-width: 2; stroke-linejoin: round }
.button, button {
  display: inline-flex; align-items: center; justify-content: center; min-height: 40px; padding: 0 18px; border: 1px solid transparent;
  border-radius: var(--radius); background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 550;
  text-decoration: none; cursor: pointer
}
.button:hover, button:hover { background: var(--accent-strong) }
`

/** The style of a short page: a question or a message in the middle. */
export const pageStyle = `${documentStyle}
header { padding: 20px 24px }
main { max-width: 432px; margin: 0 auto; padding: 8vh 24px 64px }
main > * + * { margin-top: 16px }
h1 { font-size: 26px; line-height: 34px; font-weight: 640; letter-spacing: -.02em; text-wrap: balance }
p { color: var(--text-soft); overflow-wrap: anywhere }
b { color: var(--text) }
form { display: grid; gap: 16px }
label { display: grid; gap: 6px; color: var(--text); font-weight: 550 }
label br { display: none }
input {
  width: 100%; min-height: 44px; padding: 8px 12px; border: 1px solid var(--border-control); border-radius: var(--radius);
  background: var(--surface); color: var(--text); font: 16px var(--font)
}
button { min-height: 44px }
`
