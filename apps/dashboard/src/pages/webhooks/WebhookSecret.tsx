/** The secret of a webhook, shown once, with how to use it. */
import type { JSX } from "preact"
import { CodeBlock } from "../../components/Copy.js"
import { SecretDialog } from "../../components/Secret.js"

const codesFor = (secret: string) => [
  {
    name: "Verify a request",
    text: `import { Mailroom } from "@mailroom/client"\n\nconst { webhooks } = new Mailroom()\n// the raw body, before any parser\nconst event = await webhooks.unwrap(body, request.headers, "${secret}")`,
  },
]

export const WebhookSecret = ({ secret, onClose }: { secret: string; onClose: () => void }): JSX.Element => (
  <SecretDialog title="The secret of the webhook" label="secret" secret={secret} onClose={onClose}>
    <p class="prose">
      Every request is signed with it. Check the signature, so that nobody else can post to the address.
    </p>
    <CodeBlock label="How to verify" codes={codesFor(secret)} />
  </SecretDialog>
)
