/** One service in several processes: on a Postgres of its own, with blobs in a folder that they share. */
import { freshDatabase, type TcpProxy, tcpProxyTo, temporaryFolder } from "@mailroom/test-services"
import { Effect, type Scope } from "effect"
import { join } from "node:path"
import type { Variables } from "./process.js"
import { type Server, startServer } from "./server.js"

export interface ManyProcesses {
  /** Starts one more. It is killed with the scope. */
  readonly start: (variables?: Variables) => Effect.Effect<Server, never, Scope.Scope>
  /** between all of them and the database */
  readonly proxy: TcpProxy
  /** of the database, past the proxy */
  readonly databaseUrl: string
  /** where all of them run, and with which variables */
  readonly folder: string
  readonly variables: Variables
}

/** Starts processes with the variables of `shared` and their own. Accounts have no sending limits unless these say otherwise. */
export const manyProcesses = (shared: Variables = {}): Effect.Effect<ManyProcesses, never, Scope.Scope> =>
  Effect.gen(function* () {
    const databaseUrl = yield* freshDatabase()
    const folder = yield* temporaryFolder
    const { hostname, port } = new URL(databaseUrl)
    const proxy = yield* tcpProxyTo(hostname, Number(port))
    const throughProxy = new URL(databaseUrl)
    throughProxy.port = String(proxy.port)
    const common: Variables = {
      DATABASE_URL: throughProxy.href,
      BLOB_URL: `file:${join(folder, "blobs")}`,
      SECRET_KEY: "a secret key for tests, and tests alone",
      BASE_URL: "http://mailroom.test",
      BILLING: "none",
      DEFAULT_PLAN: "Scale",
      TRUST_PROXY: "true",
      WEBHOOK_ALLOW_PRIVATE: "true",
      SEND_VELOCITY_PER_MINUTE: "100000",
      ...shared,
    }
    const start: ManyProcesses["start"] = (variables = {}) => startServer(folder, { ...common, ...variables })
    return { start, proxy, databaseUrl, folder, variables: common }
  })
