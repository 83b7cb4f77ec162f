/** One domain: its records with the state of each, a check now, and its removal. */
import type { DomainWithRecords } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { navigate } from "../../app/router.js"
import type { PageProps } from "../../app/routes.js"
import { useShortcuts } from "../../app/shortcuts.js"
import { Button } from "../../components/Button.js"
import { CopyButton } from "../../components/Copy.js"
import { ConfirmDialog } from "../../components/Dialog.js"
import { Icon } from "../../components/Icon.js"
import { Loaded } from "../../components/Loaded.js"
import { Menu } from "../../components/Menu.js"
import { Notice, Skeleton } from "../../components/Notice.js"
import { BackLink, Card, PageHead } from "../../components/Page.js"
import { say, sayError } from "../../components/Toasts.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"
import { usePolling } from "../../data/polling.js"
import { loader, type Resource, useResource } from "../../data/resource.js"
import { domainState, zoneText } from "../../rules/domains.js"
import { Records } from "./Records.js"

const domain = loader((id, signal) => mailroom.domains.get(id, { signal }))

/** Milliseconds between two looks while records are missing. */
const LOOK_EVERY = 15_000

const isIncomplete = ({ dnsRecords: { mx, spf, dkim, dmarc } }: DomainWithRecords): boolean =>
  [mx, spf, dmarc, ...dkim].some(({ state }) => state !== "VALID")

interface ControlsProps {
  readonly found: Resource<DomainWithRecords>
  readonly shown: DomainWithRecords
}

const Controls = ({ found, shown }: ControlsProps): JSX.Element => {
  const { id, domain: name } = shown.domain
  const [open, setOpen] = useState<"rotate" | "remove" | null>(null)
  const check = useAction(async () => {
    try {
      const { verification, ...checked } = await mailroom.domains.verify(id)
      found.set(checked)
      say(verification.allVerified ? "All required records are found." : "Not all records are found yet.")
    } catch (error) {
      sayError(error)
    }
  })
  useShortcuts([{ keys: "r", does: "Check the records now", run: () => check.run() }])
  return (
    <>
      <Button kind="primary" icon="search" busy={check.isRunning} onClick={() => check.run()}>
        Check now
      </Button>
      <Menu
        label="More for this domain"
        items={[
          { label: "Replace the signing key", icon: "key", run: () => setOpen("rotate") },
          { label: "Remove the domain", icon: "trash", danger: true, run: () => setOpen("remove") },
        ]}
      >
        <Icon name="more" />
      </Menu>
      {open === "rotate" && (
        <ConfirmDialog
          title="Replace the signing key?"
          action="Create the next key"
          onClose={() => setOpen(null)}
          onConfirm={async () => found.set(await mailroom.domains.rotateDkim(id))}
        >
          <p>
            A second DKIM record appears here. Set it, and keep the first for a week, for mail that is on its
            way.
          </p>
        </ConfirmDialog>
      )}
      {open === "remove" && (
        <ConfirmDialog
          title={`Remove ${name}?`}
          action="Remove domain"
          danger
          onClose={() => setOpen(null)}
          onConfirm={async () => {
            await mailroom.domains.remove(id)
            say(`${name} is removed.`)
            navigate("/dashboard/domains", { replace: true })
          }}
        >
          <p>Its mailboxes have to be deleted first. If you add the domain again, it gets new records.</p>
        </ConfirmDialog>
      )}
    </>
  )
}

export const Page = ({ params }: PageProps): JSX.Element => {
  const found = useResource(domain, params["domainId"])
  const { data } = found
  usePolling(data !== undefined && isIncomplete(data) && !found.isLoading, LOOK_EVERY, found.reload)
  return (
    <>
      <BackLink href="/dashboard/domains">Domains</BackLink>
      <PageHead
        title={data?.domain.domain ?? "Domain"}
        actions={data !== undefined && <Controls found={found} shown={data} />}
      />
      <Loaded resource={found} skeleton={<Skeleton lines={10} tall />}>
        {(shown) => {
          const { tone, label, text } = domainState(shown.domain)
          return (
            <>
              <Notice kind={tone} title={label}>
                {text}
              </Notice>
              <Card
                title="DNS records"
                flush
                actions={
                  <span class="copy-all">
                    <span class="faint">As a zone file</span>
                    <CopyButton
                      label="Copy all records as lines of a zone file"
                      text={zoneText(shown.dnsRecords)}
                    />
                  </span>
                }
              >
                <Records records={shown.dnsRecords} domain={shown.domain.domain} />
              </Card>
            </>
          )
        }}
      </Loaded>
    </>
  )
}
