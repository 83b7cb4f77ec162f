/** The frame of pages for everybody: signing up, signing in, a new password. */
import type { ComponentChildren, JSX } from "preact"
import { Brand } from "./Brand.js"
import { ThemeSwitch } from "./ThemeSwitch.js"

export const PublicFrame = ({ children }: { children: ComponentChildren }): JSX.Element => (
  <div class="public">
    <header class="public-head">
      <Brand href="/" />
      <ThemeSwitch />
    </header>
    <main class="public-main" id="main">
      {children}
    </main>
  </div>
)
