/** The keys of the account: which there are, what each may do, when it was used. */
import type { ApiKey, CreatedKey } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { useShortcuts } from "../../app/shortcuts.js"
import { Button } from "../../components/Button.js"
import { CodeBlock } from "../../components/Copy.js"
import { ConfirmDialog } from "../../components/Dialog.js"
import { Loaded } from "../../components/Loaded.js"
import { Badge, Empty, Skeleton } from "../../components/Notice.js"
import { Card, PageHead } from "../../components/Page.js"
import { SecretDialog } from "../../components/Secret.js"
import { Table } from "../../components/Table.js"
import { say } from "../../components/Toasts.js"
import { Time } from "../../components/Values.js"
import { mailroom } from "../../data/client.js"
import { addressIn, mailboxes } from "../../data/mailboxes.js"
import { loader, useResource } from "../../data/resource.js"
import { settings } from "../../data/settings.js"
import { abilityText, isLastFullKey, scopeText } from "../../rules/keys.js"
import { NewKey } from "./NewKey.js"

const keys = loader(async (_, signal) => (await mailroom.keys.list({ signal })).items)

const firstCalls = (key: string) => [
  { name: "curl", text: `curl ${settings.baseUrl}/v1/mailboxes \\\n  -H "Authorization: Bearer ${key}"` },
  {
    name: "TypeScript",
    text: `import { Mailroom } from "@mailroom/client"\n\nconst mailroom = new Mailroom({\n  baseUrl: "${settings.baseUrl}",\n  apiKey: "${key}",\n})\nfor await (const mailbox of mailroom.mailboxes.list()) console.log(mailbox.fullAddress)`,
  },
]

const Name = ({ shown }: { shown: ApiKey }): JSX.Element => (
  <div class="cell-lines">
    <strong>{shown.name}</strong>
    <code class="faint">{shown.prefix}…</code>
  </div>
)

interface KeyTableProps {
  readonly list: ReadonlyArray<ApiKey>
  readonly onRevoke: (key: ApiKey) => void
}

const KeyTable = ({ list, onRevoke }: KeyTableProps): JSX.Element => {
  const addressOf = addressIn(useResource(mailboxes).data)
  return (
    <Table
      label="Active keys"
      rows={list}
      keyOf={({ id }) => id}
      columns={[
        { name: "Key", cell: (key) => <Name shown={key} /> },
        { name: "May", cell: ({ permissions }) => abilityText(permissions) },
        { name: "Reaches", cell: (key) => <span class="clip">{scopeText(key, addressOf)}</span> },
        {
          name: "Last used",
          cell: ({ lastUsedAt }) =>
            lastUsedAt === null ? <span class="faint">Never</span> : <Time at={lastUsedAt} />,
        },
        { name: "Created", wideOnly: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
        {
          name: "Actions",
          hasHiddenName: true,
          align: "end",
          cell: (key) => (
            <Button size="small" label={`Revoke ${key.name}`} onClick={() => onRevoke(key)}>
              Revoke
            </Button>
          ),
        },
      ]}
    />
  )
}

/** Keys that answer 401: kept in sight, because programs may still use them. */
const Revoked = ({ list }: { list: ReadonlyArray<ApiKey> }): JSX.Element | null =>
  list.length === 0 ? null : (
    <details class="card flush folded">
      <summary>Revoked keys ({list.length})</summary>
      <Table
        label="Revoked keys"
        rows={list}
        keyOf={({ id }) => id}
        columns={[
          { name: "Key", cell: (key) => <Name shown={key} /> },
          { name: "State", cell: () => <Badge>Revoked</Badge> },
          {
            name: "Last used",
            cell: ({ lastUsedAt }) => (lastUsedAt === null ? "Never" : <Time at={lastUsedAt} />),
          },
          { name: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
      />
    </details>
  )

export const Page = (): JSX.Element => {
  const list = useResource(keys)
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<CreatedKey | null>(null)
  const [revoking, setRevoking] = useState<ApiKey | null>(null)
  useShortcuts([{ keys: "c", does: "Create a key", run: () => setCreating(true) }])
  return (
    <>
      <PageHead
        title="Keys"
        actions={
          <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
            New key
          </Button>
        }
      >
        Programs use keys to work with this account. Give each agent one of its own, with no more than it
        needs.
      </PageHead>
      <Loaded
        resource={list}
        skeleton={
          <Card flush>
            <Skeleton lines={4} tall />
          </Card>
        }
      >
        {(all) => {
          const active = all.filter(({ enabled }) => enabled)
          return (
            <>
              <Card flush>
                {active.length === 0 ? (
                  <Empty
                    icon="key"
                    title="No active key"
                    actions={
                      <Button kind="primary" onClick={() => setCreating(true)}>
                        New key
                      </Button>
                    }
                  >
                    <p>No program can use this account until you create one.</p>
                  </Empty>
                ) : (
                  <KeyTable list={active} onRevoke={setRevoking} />
                )}
              </Card>
              <Revoked list={all.filter(({ enabled }) => !enabled)} />
              {revoking !== null && (
                <ConfirmDialog
                  title={`Revoke “${revoking.name}”?`}
                  action="Revoke key"
                  danger
                  onClose={() => setRevoking(null)}
                  onConfirm={async () => {
                    await mailroom.keys.revoke(revoking.id)
                    say(`The key “${revoking.name}” is revoked.`)
                    list.reload()
                  }}
                >
                  <p>
                    Programs that use it are refused from now on, and their event streams end. This cannot be
                    undone.
                  </p>
                  {isLastFullKey(all, revoking) && (
                    <p>It is the only key with full access. You can create another one here at any time.</p>
                  )}
                </ConfirmDialog>
              )}
            </>
          )
        }}
      </Loaded>
      {isCreating && (
        <NewKey
          onClose={() => setCreating(false)}
          onCreated={(key) => {
            setCreating(false)
            setCreated(key)
            list.reload()
          }}
        />
      )}
      {created !== null && (
        <SecretDialog
          title={`“${created.name}” is ready`}
          label="key"
          secret={created.key}
          onClose={() => setCreated(null)}
        >
          <CodeBlock label="A first call" codes={firstCalls(created.key)} />
        </SecretDialog>
      )}
    </>
  )
}
