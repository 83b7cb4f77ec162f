/** Signing up: an account with its first mailbox. */
import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { navigate, place } from "../../app/router.js"
import { Button, LinkButton } from "../../components/Button.js"
import { Form, TextField } from "../../components/Form.js"
import { PageHead } from "../../components/Page.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"
import { freshKey } from "../../data/freshKey.js"
import { session, signIn } from "../../data/session.js"
import { settings } from "../../data/settings.js"
import { slugFor, slugProblem } from "../../rules/slugs.js"

/** Milliseconds without a key press before the service is asked whether a slug is free. */
const PAUSE = 400

type Verdict = "free" | "taken" | "reserved" | "unknown"

/** Whether a slug is free, asked when the writer pauses. */
const useSlugVerdict = (slug: string): Verdict => {
  const [known, setKnown] = useState<{ readonly slug: string; readonly verdict: Verdict } | null>(null)
  useEffect(() => {
    if (slugProblem(slug) !== null) return undefined
    const controller = new AbortController()
    const ask = async () => {
      const { available, reason } = await mailroom.signup.checkSlug({ slug }, { signal: controller.signal })
      setKnown({ slug, verdict: available ? "free" : (reason ?? "taken") })
    }
    // The signup itself says so, too: a failed question is no problem.
    const timer = setTimeout(() => void ask().catch(() => setKnown(null)), PAUSE)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [slug])
  return known?.slug === slug ? known.verdict : "unknown"
}

const slugWrong = (slug: string, verdict: Verdict): string | undefined => {
  if (slug === "") return undefined
  const problem = slugProblem(slug)
  if (problem !== null) return problem
  if (verdict === "taken") return "Somebody else has this name. Choose another."
  return verdict === "reserved" ? "This name is reserved. Choose another." : undefined
}

const SignUpForm = (): JSX.Element => {
  const [email, setEmail] = useState("")
  const [password, setPassword] = useState("")
  const [ownSlug, setSlug] = useState<string | null>(null)
  const { query } = place.value
  const [invitation, setInvitation] = useState(query.get("invitation") ?? "")
  const slug = ownSlug ?? slugFor(email)
  const verdict = useSlugVerdict(slug)
  const create = useAction(async () => {
    const plan = query.get("plan") ?? undefined
    const made = await mailroom.signup.create({
      email: email.trim(),
      password,
      slug,
      ...(plan !== undefined && { plan }),
      ...(invitation.trim() !== "" && { invitation: invitation.trim() }),
    })
    await signIn(email.trim(), password)
    freshKey.value = made.api_key.key
    navigate("/onboarding", { replace: true })
  })
  return (
    <Form
      fields={["email", "password", "slug", "invitation"]}
      error={create.error}
      onSubmit={() => create.run()}
    >
      <TextField
        name="email"
        label="Email"
        type="email"
        autoComplete="email"
        value={email}
        onInput={setEmail}
        hint="A mail with a link comes here. Your agents send once you have opened it."
        autoFocus
      />
      <TextField
        name="password"
        label="Password"
        type="password"
        autoComplete="new-password"
        value={password}
        onInput={setPassword}
        hint="At least 8 characters."
      />
      <TextField
        name="slug"
        label="Name of the account"
        value={slug}
        onInput={(text) => setSlug(text.toLowerCase())}
        suffix={`.${settings.platformDomain}`}
        wrong={slugWrong(slug, verdict)}
        hint={
          verdict === "free"
            ? `Free. Your first mailbox is agent@${slug}.${settings.platformDomain}.`
            : "Part of every address. It cannot be changed later."
        }
      />
      {settings.signup === "invite" && (
        <TextField
          name="invitation"
          label="Invitation"
          value={invitation}
          onInput={setInvitation}
          hint="The operator of this service gives it to you."
        />
      )}
      <Button type="submit" kind="primary" wide busy={create.isRunning}>
        Create account
      </Button>
    </Form>
  )
}

export const Page = (): JSX.Element => {
  const isIn = session.value.state === "in"
  useEffect(() => {
    // Who is signed in already has an account. A signup that just succeeded goes to its own page.
    if (isIn && freshKey.value === null) navigate("/dashboard", { replace: true })
  }, [])
  if (settings.signup === "closed")
    return (
      <div class="narrow">
        <PageHead title="Signing up is closed">
          The operator of this service creates no new accounts at the moment.
        </PageHead>
        <LinkButton href="/signin">Sign in</LinkButton>
      </div>
    )
  return (
    <div class="narrow">
      <PageHead title="Create an account">Your agents get real addresses. You keep the switch.</PageHead>
      <SignUpForm />
      <p class="aside">
        Already here? <a href="/signin">Sign in</a>
      </p>
    </div>
  )
}
