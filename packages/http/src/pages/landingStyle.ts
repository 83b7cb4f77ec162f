/** The style of the page at `/`. */
import { documentStyle } from "./design.js"

export const landingStyle = `${documentStyle}
.top, main, footer { max-width: 1128px; margin: 0 auto; padding-inline: 24px }
.top { display: flex; align-items: center; justify-content: space-between; min-height: 72px }
.top nav, footer nav { display: flex; flex-wrap: wrap; gap: 4px 24px }
.top nav a, footer nav a { padding: 8px 0; color: var(--text-soft); font-weight: 500; text-decoration: none }
.top nav a:hover, footer nav a:hover { color: var(--text); text-decoration: underline }
section { padding: 48px 0 }
.hero { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); gap: 56px; align-items: center; padding: 72px 0 64px }
h1 { font-size: clamp(36px, 5vw, 56px); line-height: 1.06; font-weight: 680; letter-spacing: -.035em; text-wrap: balance }
h2 { font-size: 26px; line-height: 34px; font-weight: 640; letter-spacing: -.02em }
h3 { font-size: 15px; line-height: 22px; font-weight: 600 }
.lead { max-width: 56ch; color: var(--text-soft); font-size: 17px; line-height: 1.55; text-wrap: pretty }
.hero .lead { margin-top: 20px }
h2 + .lead { margin-top: 8px }
.actions { display: flex; flex-wrap: wrap; gap: 12px; margin-top: 28px }
.actions .button { min-height: 46px; padding: 0 22px; box-shadow: var(--shadow) }
.button.second { border-color: var(--border); background: var(--surface); color: var(--text) }
.button.second:hover { border-color: var(--border-control); background: var(--surface) }
.window { margin: 0; overflow: hidden; border: 1px solid var(--border); border-radius: var(--radius-large); background: var(--surface); box-shadow: var(--shadow-high) }
.window figcaption { padding: 12px 20px; border-bottom: 1px solid var(--border); color: var(--text-faint); font-size: 13px; font-weight: 550 }
.window pre { overflow-x: auto; padding: 20px; font-size: 13px; line-height: 1.75; color: var(--text-soft) }
.window .in { color: var(--text) }
.window .faint { color: var(--accent-text) }
.window b { color: var(--accent-text); font-weight: 600 }
.features { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 300px), 1fr)); gap: 1px; margin-top: 28px; overflow: hidden; border: 1px solid var(--border); border-radius: var(--radius-large); background: var(--border) }
.features li { padding: 24px; background: var(--surface) }
.features p { margin-top: 6px; color: var(--text-soft) }
.plans { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 300px), 1fr)); gap: 16px; margin-top: 28px }
.plans > li { display: grid; align-content: start; gap: 14px; padding: 24px; border: 1px solid var(--border); border-radius: var(--radius-large); background: var(--surface); box-shadow: var(--shadow) }
.price { color: var(--text-soft) }
.price b { color: var(--text); font-size: 30px; font-weight: 660; letter-spacing: -.03em }
.plans ul { display: grid; gap: 6px; color: var(--text-soft) }
.plans ul li::before { margin-inline-end: 10px; color: var(--good); content: "✓" / "" }
footer nav { margin-top: 32px; padding-block: 24px 48px; border-top: 1px solid var(--border) }
@media (max-width: 899px) {
  .hero { grid-template-columns: minmax(0, 1fr); gap: 40px; padding: 40px 0 24px }
  .window pre { font-size: 12px }
}
@media (max-width: 599px) {
  .top, main, footer { padding-inline: 16px }
  section { padding: 32px 0 }
  .actions .button { flex: 1; white-space: nowrap }
}
`
