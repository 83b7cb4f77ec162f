/** Has the verification mail sent again. */
import type { JSX } from "preact"
import { Button } from "../components/Button.js"
import { say, sayError } from "../components/Toasts.js"
import { useAction } from "../data/action.js"
import { mailroom } from "../data/client.js"

interface ResendButtonProps {
  readonly email: string
  readonly size?: "small" | "medium"
}

export const ResendButton = ({ email, size = "medium" }: ResendButtonProps): JSX.Element => {
  const resend = useAction(async () => {
    try {
      await mailroom.signup.resendVerification({ email })
      say(`A new mail is on its way to ${email}.`)
    } catch (error) {
      sayError(error)
    }
  })
  return (
    <Button size={size} busy={resend.isRunning} onClick={() => resend.run()}>
      Send the mail again
    </Button>
  )
}
