/** One server process whose database, blob store, relay and name server can each go away. */
import { tcpProxyTo, freshDatabase, s3Server, S3_CREDENTIALS } from "@mailroom/test-services"
import { Effect, Schema } from "effect"
import { newMailbox, unlimitedAccount } from "../harness/account.js"
import { call } from "../harness/http.js"
import { startMailroom } from "../harness/mailroom.js"
import { durablePostgres, sharedSettings } from "../harness/postgres.js"
import { nameServer } from "./nameServer.js"

/** Names of webhooks, each on a host of its own. */
export const HOOKS = ["/one", "/two"]

const BUCKET = "outages"

/** `relayPort` and `hookPort`: where mail that is sent goes, and webhooks. */
export const startService = ({ relayPort, hookPort }: { relayPort: number; hookPort: number }) =>
  Effect.gen(function* () {
    const database = new URL(yield* freshDatabase(yield* durablePostgres))
    const databaseProxy = yield* tcpProxyTo(database.hostname, Number(database.port))
    const blobProxy = yield* tcpProxyTo("127.0.0.1", Number(new URL(yield* s3Server(BUCKET)).port))
    const relayProxy = yield* tcpProxyTo("127.0.0.1", relayPort)
    const names = yield* nameServer
    const ownSettings = yield* sharedSettings(database.href)

    // The mail that verifies an owner is in the development outbox, which a server with a relay does not have.
    const owned = yield* Effect.scoped(
      Effect.gen(function* () {
        const server = yield* startMailroom({
          settings: { ...ownSettings, WEBHOOK_ALLOW_PRIVATE: "true" },
        })
        const account = yield* unlimitedAccount(server.baseUrl, "outages")
        const mailbox = yield* newMailbox(account, "inbox")
        for (const hook of HOOKS)
          yield* call(
            {
              method: "POST",
              url: `${server.baseUrl}/v1/webhooks`,
              key: account.key,
              body: {
                url: `http://hook.receiver-${hook.slice(1)}.example:${hookPort}${hook}`,
                events: ["message.received"],
              },
            },
            Schema.Unknown,
          )
        return { account, mailbox }
      }),
    )

    database.hostname = "127.0.0.1"
    database.port = String(databaseProxy.port)
    const server = yield* startMailroom({
      settings: {
        ...ownSettings,
        ...S3_CREDENTIALS,
        DATABASE_URL: database.href,
        BLOB_URL: `s3://${BUCKET}/?endpoint=http://127.0.0.1:${blobProxy.port}`,
        OUTBOUND_URL: `smtp://127.0.0.1:${relayProxy.port}`,
        SEND_VELOCITY_PER_MINUTE: "100000",
        WEBHOOK_ALLOW_PRIVATE: "true",
        NODE_OPTIONS: `--import=${new URL("useNameServer.js", import.meta.url).href}`,
        BENCH_NAME_SERVER: `127.0.0.1:${names.port}`,
      },
    })
    return {
      server,
      account: { ...owned.account, baseUrl: server.baseUrl },
      mailbox: owned.mailbox,
      proxies: { database: databaseProxy, "blob store": blobProxy, relay: relayProxy },
      names,
    }
  })
