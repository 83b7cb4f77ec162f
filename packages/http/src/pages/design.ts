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
  --accent-strong: #6d72f2;
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

/** `data-theme` on the root is the choice of the reader; without it, the system's theme holds. */
export const tokens = `
:root {${light}
  --font: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --radius: 8px;
  --radius-small: 6px;
  --radius-large: 12px;
}
@media (prefers-color-scheme: dark) {
  :root:not([data-theme="light"]) {${dark}}
}
:root[data-theme="dark"] {${dark}}
`
