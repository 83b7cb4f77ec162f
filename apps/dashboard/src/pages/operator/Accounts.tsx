/** All accounts: find one, see its plan, state and usage. */
import type { Account } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { place, setQuery } from "../../app/router.js"
import { Failure } from "../../components/Loaded.js"
import { Badge, Empty, Skeleton } from "../../components/Notice.js"
import { Card, PageHead } from "../../components/Page.js"
import { SearchBox } from "../../components/SearchBox.js"
import { Time } from "../../components/Values.js"
import { VirtualList } from "../../components/VirtualList.js"
import { usePages } from "../../data/pages.js"
import { stateWords } from "../../rules/operator.js"
import { countText } from "../../rules/texts.js"
import { AccountView } from "./AccountView.js"
import { admin } from "./operatorApi.js"

const ROW = 58

const Row = ({ account }: { account: Account }): JSX.Element => {
  const { tone, label } = stateWords(account)
  return (
    <div class="list-row pressable">
      <div class="list-row-main">
        <strong class="clip">{account.slug}</strong>
        <span class="faint clip">{account.email}</span>
      </div>
      <span class="faint wide-only">
        {countText(account.receivedToday, "mail")} and {countText(account.sentToday, "send")} today
      </span>
      <span class="faint wide-only">
        <Time at={account.createdAt} />
      </span>
      <Badge>{account.plan}</Badge>
      <Badge tone={tone}>{label}</Badge>
    </div>
  )
}

export const Page = (): JSX.Element => {
  const wanted = place.value.query.get("q") ?? ""
  const [openId, setOpenId] = useState<string | null>(null)
  const { items, error, loadMore, reload, change } = usePages(`accounts ${wanted}`, (signal) =>
    admin().accounts({ limit: 50, ...(wanted !== "" && { q: wanted }) }, { signal }),
  )
  const open = items?.find(({ id }) => id === openId)
  return (
    <>
      <PageHead title="Accounts">Every account of the service, the newest first.</PageHead>
      <SearchBox
        label="Find an account"
        placeholder="Start of an email or a slug, or an id"
        value={wanted}
        onSearch={(q) => setQuery({ q: q === "" ? null : q })}
      />
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      <Card flush>
        {items === undefined && error === undefined && <Skeleton lines={8} tall />}
        {items?.length === 0 && (
          <Empty icon="users" title={wanted === "" ? "No account yet" : "No such account"}>
            <p>
              {wanted === ""
                ? "Accounts appear here when somebody signs up."
                : "Search for the beginning of its email or slug."}
            </p>
          </Empty>
        )}
        {items !== undefined && items.length > 0 && (
          <VirtualList
            label="Accounts"
            items={items}
            keyOf={({ id }) => id}
            estimate={ROW}
            onOpen={({ id }) => setOpenId(id)}
            onNearEnd={loadMore}
          >
            {(account) => <Row account={account} />}
          </VirtualList>
        )}
      </Card>
      {open !== undefined && (
        <AccountView
          account={open}
          onClose={() => setOpenId(null)}
          onChanged={(changed) => change((all) => all.map((one) => (one.id === changed.id ? changed : one)))}
        />
      )}
    </>
  )
}
