/** The table of access rights: the routes of each rule from the contract, the answers from the rule itself. */
import { Api, type GuardedEndpoint, guardedEndpoints } from "@mailroom/api"
import {
  type AccessClass,
  admitCaller,
  allPermissions,
  type Caller,
  isAccessClass,
  statusOf,
} from "@mailroom/domain"
import { Array, Either } from "effect"

/** By row of the table: the ids of its rules are `decisions.access.<id>.<column>`. */
const rowsOfTable: Readonly<Record<AccessClass, ReadonlyArray<string>>> = {
  account: ["account"],
  "revoke-key": [],
  whoami: [],
  "create-key": ["create-key"],
  billing: ["target", "upgrade"],
  welcome: ["welcome"],
  stream: ["stream"],
  provisioning: ["provisioning"],
  domains: ["domains"],
  webhooks: ["webhooks"],
  mail: ["mail"],
  owner: [],
}

const caller = (more: Partial<Caller>): Caller => ({
  state: "active",
  paymentReason: "the trial is over",
  suspendedReason: null,
  verified: true,
  credential: "full",
  permissions: allPermissions,
  ...more,
})

const columns = {
  scoped: caller({ credential: "scoped" }),
  unverified: caller({ state: "unverified", verified: false }),
  payment_required: caller({ state: "payment_required" }),
  suspended: caller({ state: "suspended" }),
}

const nameOf = ({ method, path }: GuardedEndpoint): string =>
  `\`${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}\``

export const accessHead: ReadonlyArray<string> = ["routes", ...Object.keys(columns)]

/** What a caller gets: a word for yes, or the status of the refusal. */
const verdict = (access: AccessClass, who: Caller): string =>
  Either.match(admitCaller(access, [], who), {
    onLeft: (denied) =>
      denied._tag === "SessionRequired"
        ? verdict(access, { ...who, credential: "session" }).replace("yes", "session")
        : String(statusOf[denied._tag]),
    onRight: () => (who.credential === "scoped" ? "own" : "yes"),
  })

export const accessLines = (): ReadonlyArray<ReadonlyArray<string>> => {
  const endpoints = guardedEndpoints(Api)
  return Object.keys(rowsOfTable)
    .filter(isAccessClass)
    .map((access) => [
      endpoints
        .filter((endpoint) => endpoint.access === access)
        .map(nameOf)
        .join("<br>"),
      ...Object.entries(columns).map(([column, who]) =>
        [
          verdict(access, who),
          ...rowsOfTable[access].map((row) => `\`decisions.access.${row}.${column}\``),
        ].join("<br>"),
      ),
    ])
}

export const permissionHead: ReadonlyArray<string> = ["needs", "routes"]

/** The routes by the permissions of which they need one. */
export const permissionLines = (): ReadonlyArray<ReadonlyArray<string>> => {
  const groups = Array.groupBy(guardedEndpoints(Api), ({ needs }) => needs.join(" or "))
  return Object.entries(groups).map(([needs, endpoints]) => [
    needs || "none",
    endpoints.map(nameOf).join("<br>"),
  ])
}
