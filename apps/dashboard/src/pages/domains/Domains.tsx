/** The custom domains of the account. */
import type { Domain } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { navigate } from "../../app/router.js"
import { useShortcuts } from "../../app/shortcuts.js"
import { Button } from "../../components/Button.js"
import { Dialog, DialogActions } from "../../components/Dialog.js"
import { Form, TextField } from "../../components/Form.js"
import { Loaded } from "../../components/Loaded.js"
import { Badge, Empty, Skeleton } from "../../components/Notice.js"
import { Card, PageHead } from "../../components/Page.js"
import { Time } from "../../components/Values.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"
import { usePolling } from "../../data/polling.js"
import { loader, useResource } from "../../data/resource.js"
import { domainState } from "../../rules/domains.js"

const domains = loader(async (_, signal) => (await mailroom.domains.list({ signal })).items)

/** Milliseconds between two looks while a domain waits for its records. */
const LOOK_EVERY = 20_000

const Line = ({ domain }: { domain: Domain }): JSX.Element => {
  const { tone, label } = domainState(domain)
  const { mxVerified, spfVerified, dkimVerified } = domain
  const found = [mxVerified, spfVerified, dkimVerified].filter(Boolean).length
  return (
    <li>
      <a class="line-link" href={`/dashboard/domains/${domain.id}`}>
        <span class="list-row-main">
          <strong class="clip">{domain.domain}</strong>
          <span class="faint">{found} of 3 required records found</span>
        </span>
        <span class="faint wide-only">
          <Time at={domain.createdAt} />
        </span>
        <Badge tone={tone}>{label}</Badge>
      </a>
    </li>
  )
}

const NewDomain = ({ onClose }: { onClose: () => void }): JSX.Element => {
  const [domain, setDomain] = useState("")
  const add = useAction(async () => {
    const created = await mailroom.domains.create({ domain: domain.trim() })
    onClose()
    navigate(`/dashboard/domains/${created.domain.id}`)
  })
  return (
    <Dialog title="Add a domain" onClose={onClose}>
      <Form fields={["domain"]} error={add.error} onSubmit={() => add.run()}>
        <TextField
          name="domain"
          label="Domain"
          value={domain}
          onInput={setDomain}
          placeholder="agents.example.com"
          hint="A subdomain of its own, such as agents.example.com, leaves the mail of your present domain alone."
          autoFocus
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={add.isRunning} disabled={domain.trim() === ""}>
            Add domain
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}

export const Page = (): JSX.Element => {
  const list = useResource(domains)
  const [isAdding, setAdding] = useState(false)
  useShortcuts([{ keys: "c", does: "Add a domain", run: () => setAdding(true) }])
  const isPending = list.data?.some(({ status }) => status === "PENDING_VERIFICATION") === true
  usePolling(isPending && !list.isLoading, LOOK_EVERY, list.reload)
  const button = (
    <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
      Add domain
    </Button>
  )
  return (
    <>
      <PageHead title="Domains" actions={button}>
        Give mailboxes addresses below a domain of yours.
      </PageHead>
      <Card flush>
        <Loaded resource={list} skeleton={<Skeleton lines={3} tall />}>
          {(found) =>
            found.length === 0 ? (
              <Empty icon="globe" title="No domain of your own yet" actions={button}>
                <p>
                  Add one and copy three records to where the domain is managed. Until then your mailboxes
                  have addresses below the domain of this service.
                </p>
              </Empty>
            ) : (
              <ul class="line-list">
                {found.map((domain) => (
                  <Line key={domain.id} domain={domain} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
      {isAdding && <NewDomain onClose={() => setAdding(false)} />}
    </>
  )
}
