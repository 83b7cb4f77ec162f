/**
 * The whole engine on in-memory adapters, in the runtime of the test: it uses the `TestClock` and seeded ids and
 * secrets, and nothing leaves the process. Tests read sent mail from `MemoryRelay` and posted webhooks from
 * `MemoryReceivers`, and put DNS records into `MemoryZones`. What runs on these layers makes no spans, as in a server that exports no
 * traces. `Layer.locallyScoped(FiberRef.currentTracerEnabled, true)`, over these layers and below `InMemoryHttp.layerOver`, brings them
 * back.
 */
import { MemoryBlobs } from "@mailroom/blobs"
import {
  Engine,
  type EngineSettings,
  inOrder,
  InProcessSignals,
  NoSpamFilter,
  Settings,
  type Signals,
  SimulatedPayments,
} from "@mailroom/engine"
import {
  AttachmentTextInline,
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
import { Chunk, FiberRef, Layer, Redacted, type TestAnnotations, TestClock, type TestLive } from "effect"

/**
 * A `TestClock` that starts at `instant`, milliseconds since the epoch. Faster than setting one, which waits until all
 * fibers sleep.
 */
export const clockAt = (
  instant: number,
): Layer.Layer<TestClock.TestClock, never, TestAnnotations.TestAnnotations | TestLive.TestLive> =>
  TestClock.live(TestClock.makeData(instant, Chunk.empty()))

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

/** Secret that signs provider reports to `/v1/reports/generic`. */
export const REPORTS_SECRET = "whsec_dGhlIHNlY3JldCBvZiBhIHByb3ZpZGVyIGluIHRlc3Rz"

/** Host names for webhooks: one with a public address, one with a private address. */
const names = { "receiver.mailroom.dev": ["93.184.215.14"], "inside.mailroom.dev": ["10.0.0.7"] }

/** Stores in memory, and the signals of one process. */
const inMemoryStores = Layer.merge(SqliteStore.layer({ filename: ":memory:" }), InProcessSignals.layer)

/** As in a server that exports no traces: a span of a statement costs as much as the statement. */
const untraced = Layer.locallyScoped(FiberRef.currentTracerEnabled, false)

/** The engine's ports in memory. `stores`: the stores of a real database instead. */
export const inMemoryPorts = (
  settings: Partial<EngineSettings> = {},
  seed = "mailroom",
  stores: Layer.Layer<Stores | Signals, StoreUnusable> = inMemoryStores,
) =>
  inOrder(
    untraced,
    Layer.succeed(Settings, { ...testSettings, ...settings }),
    stores,
    MemoryBlobs.layer,
    AttachmentTextInline.layer,
    MimeParserInline.layer,
    NodemailerComposer.layer,
    MemoryRelay.layer,
    NoSpamFilter.layer,
    MemoryWebhookTransport.layer,
    MailSignerInline.layer,
    MemoryDns.layer(names),
    SenderAuthenticationInline.layer,
    SimulatedPayments.layer,
    providerReports({ kind: "generic", secret: Redacted.make(REPORTS_SECRET) }),
    // Services that draw secrets have entropy of their own: what one of them draws changes nothing for the others.
    Layer.provide(
      NodeVault.layer(Redacted.make("a secret key for tests, and tests alone")),
      SeededEntropy.layer(seed),
    ),
    Layer.provide(DigestPasswords.layer, SeededEntropy.layer(`${seed} passwords`)),
    Layer.provide(SeededDkimKeys.layer, SeededEntropy.layer(`${seed} keys`)),
    SeededEntropy.layer(`${seed} ids`),
  ).pipe(Layer.orDie)

/** The engine, with its ports so that a test can inspect them. */
export const InMemoryMailroom = {
  layer: (settings: Partial<EngineSettings> = {}, seed?: string) =>
    inOrder(inMemoryPorts(settings, seed), Engine.layer),
}
