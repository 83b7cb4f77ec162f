/**
 * The whole engine on in-memory layers, in the runtime of the test: its clock is the `TestClock`, its ids and secrets
 * come from a seed, and nothing leaves the process. What the outside world would see is in `MemoryRelay` (mail that
 * was sent) and `MemoryReceivers` (webhooks that were posted); what it has in DNS a test puts into `MemoryZones`.
 */
import { MemoryBlobs } from "@mailroom/blobs"
import {
  Engine,
  type EngineSettings,
  InProcessSignals,
  Settings,
  type Signals,
  SimulatedPayments,
} from "@mailroom/engine"
import {
  MailSignerInline,
  MemoryRelay,
  MimeParserInline,
  NodemailerComposer,
  SenderAuthenticationInline,
} from "@mailroom/mail"
import { MemoryDns, MemoryWebhookTransport } from "@mailroom/network"
import { providerReports } from "@mailroom/providers"
import { DigestPasswords, NodeVault, SeededDkimKeys, SeededEntropy } from "@mailroom/security"
import { SqliteStore, type Stores, type StoreUnusable } from "@mailroom/store-sql"
import { Layer, Redacted } from "effect"

export const testSettings: EngineSettings = {
  baseUrl: "http://mailroom.test",
  platformDomain: "mailroom.localhost",
  postmasterEmail: null,
  billing: "simulated",
  defaultPlan: "Free",
  signup: "open",
  signupsPerHour: 5,
  sendVelocityPerMinute: 60,
  webhookAllowPrivate: false,
  headerPrefix: "X-Service-",
}

/** Signs what a mail provider reports to `/v1/reports/generic`. */
export const REPORTS_SECRET = "whsec_dGhlIHNlY3JldCBvZiBhIHByb3ZpZGVyIGluIHRlc3Rz"

/** What a webhook's host may resolve to in a test. */
const names = { "receiver.mailroom.dev": ["93.184.215.14"], "inside.mailroom.dev": ["10.0.0.7"] }

/** The stores, in memory, and what wakes whom. */
const inMemoryStores = Layer.merge(SqliteStore.layer({ filename: ":memory:" }), InProcessSignals.layer)

/** The ports, in memory, unless other stores are given: those of a database, under the test's clock. */
export const inMemoryPorts = (
  settings: Partial<EngineSettings> = {},
  seed = "mailroom",
  stores: Layer.Layer<Stores | Signals, StoreUnusable> = inMemoryStores,
) =>
  Layer.mergeAll(
    Layer.provide(
      NodeVault.layer(Redacted.make("a secret key for tests, and tests alone")),
      SeededEntropy.layer(seed),
    ),
    Layer.provide(DigestPasswords.layer, SeededEntropy.layer(`${seed} passwords`)),
    Layer.provide(SeededDkimKeys.layer, SeededEntropy.layer(`${seed} keys`)),
    SimulatedPayments.layer,
    providerReports({ kind: "generic", secret: Redacted.make(REPORTS_SECRET) }),
  ).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.succeed(Settings, { ...testSettings, ...settings }),
        stores,
        SeededEntropy.layer(`${seed} ids`),
        MemoryBlobs.layer,
        MimeParserInline.layer,
        NodemailerComposer.layer,
        MemoryRelay.layer,
        MemoryWebhookTransport.layer,
        MailSignerInline.layer,
        Layer.provideMerge(SenderAuthenticationInline.layer, MemoryDns.layer(names)),
      ),
    ),
    Layer.orDie,
  )

/** Every use case, and every port beside it for the test to look into. */
export const InMemoryMailroom = {
  layer: (settings: Partial<EngineSettings> = {}, seed?: string) =>
    Layer.provideMerge(Engine.layer, inMemoryPorts(settings, seed)),
}
