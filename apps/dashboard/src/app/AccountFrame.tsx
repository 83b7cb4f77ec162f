/** The frame of the account's pages: navigation, the state of the account, and the switch that stops all sends. */
import type { ComponentChildren, JSX } from "preact"
import { useLiveRefresh } from "../data/live.js"
import { account, loadSession, signOut } from "../data/session.js"
import { sayError } from "../components/Toasts.js"
import { AccountBanner } from "./AccountBanner.js"
import { Frame } from "./Frame.js"
import { PauseSwitch } from "./PauseSwitch.js"
import { reviewCount, useReviewCount } from "./reviewCount.js"
import { navigate } from "./router.js"
import { useShortcuts } from "./shortcuts.js"

export const AccountFrame = ({ children }: { children: ComponentChildren }): JSX.Element => {
  useReviewCount()
  // The counts of the day, and what is left of a trial.
  useLiveRefresh(["message.received", "message.sent", "message.bounced"], loadSession)
  useShortcuts([{ keys: "c", does: "Write a mail", run: () => navigate("/dashboard/compose") }])
  return (
    <Frame
      area="account"
      home="/dashboard"
      counts={{ "/dashboard/reviews": reviewCount.value }}
      who={account.value?.email ?? ""}
      onSignOut={() => void signOut().catch(sayError)}
      control={<PauseSwitch />}
    >
      <AccountBanner />
      {children}
    </Frame>
  )
}
