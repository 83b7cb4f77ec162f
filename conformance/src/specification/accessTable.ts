/** The table of access rights: the routes of each rule from the contract, the answers from the rule itself. */
import * as HttpApi from "@effect/platform/HttpApi"
import { Api } from "@mailroom/api"
import { type AccessClass, admitCaller, allPermissions, type Caller, statusOf } from "@mailroom/domain"
import { Either } from "effect"

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

/** `METHOD /path` of every route, by the name of its access middleware. */
const routesByAccess = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const routes = new Map<string, ReadonlyArray<string>>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      for (const { key } of middleware)
        routes.set(key, [
          ...(routes.get(key) ?? []),
          `\`${endpoint.method} ${endpoint.path.replaceAll(/:(\w+)/g, "{$1}")}\``,
        ])
    },
  })
  return routes
}

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

const isClass = (name: string): name is AccessClass => name in rowsOfTable

export const accessLines = (): ReadonlyArray<ReadonlyArray<string>> => {
  const routes = routesByAccess()
  return Object.keys(rowsOfTable)
    .filter(isClass)
    .map((access) => [
      (routes.get(`@mailroom/access/${access}`) ?? []).join("<br>"),
      ...Object.entries(columns).map(([column, who]) =>
        [
          verdict(access, who),
          ...rowsOfTable[access].map((row) => `\`decisions.access.${row}.${column}\``),
        ].join("<br>"),
      ),
    ])
}
