/** Signing in with email and password. */
import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { navigate, place } from "../../app/router.js"
import { Button } from "../../components/Button.js"
import { Form, TextField } from "../../components/Form.js"
import { Notice } from "../../components/Notice.js"
import { PageHead } from "../../components/Page.js"
import { useAction } from "../../data/action.js"
import { session, signIn } from "../../data/session.js"
import { settings } from "../../data/settings.js"
import { safeNext } from "../../rules/paths.js"

export const Page = (): JSX.Element => {
  const [email, setEmail] = useState("")
  const [password, setPassword] = useState("")
  const enter = useAction(() => signIn(email.trim(), password))
  const { state } = session.value
  const next = safeNext(place.value.query.get("next"), globalThis.location.origin)
  useEffect(() => {
    if (state === "in") navigate(next, { replace: true })
  }, [state, next])
  return (
    <div class="narrow">
      <PageHead title="Sign in" />
      {place.value.query.has("deleted") && (
        <Notice kind="good" title="The account is deleted">
          Its data is being removed now.
        </Notice>
      )}
      <Form fields={["email", "password"]} error={enter.error} onSubmit={() => enter.run()}>
        <TextField
          name="email"
          label="Email"
          type="email"
          autoComplete="username"
          value={email}
          onInput={setEmail}
          autoFocus
        />
        <TextField
          name="password"
          label="Password"
          type="password"
          autoComplete="current-password"
          value={password}
          onInput={setPassword}
          hint={<a href="/reset">Forgot it?</a>}
        />
        <Button type="submit" kind="primary" wide busy={enter.isRunning}>
          Sign in
        </Button>
      </Form>
      {settings.signup !== "closed" && (
        <p class="aside">
          New here? <a href="/signup">Create an account</a>
        </p>
      )}
    </div>
  )
}
