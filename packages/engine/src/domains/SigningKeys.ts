/** The DKIM keys (RFC 6376) of custom domains and of the platform domain, and their rotation (docs/decisions/0033). */
import {
  dkimHost,
  type DnsRecord,
  dkimRecord,
  DnsUnavailable,
  type DomainRecord,
  judgeDkim,
  MINUTE,
  operatorActor,
  type PlatformKeyRecord,
  type PlatformKeyRole,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { AuditLog } from "../audit/AuditLog.js"
import { Ids } from "../ids/Ids.js"
import { Vault } from "../ports/Crypto.js"
import { DkimKeys } from "../ports/DkimKeys.js"
import { Dns } from "../ports/Dns.js"
import type { SigningKey } from "../ports/MailSigner.js"
import { Settings } from "../ports/Settings.js"
import { PlatformKeyStore } from "../ports/stores/PlatformKeyStore.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { orNone } from "./DomainChecks.js"

/** A key pair, and the selector under which its public key is published. */
export interface NewKey {
  readonly selector: string
  readonly publicKey: string
  readonly sealedKey: string
}

/** Milliseconds that a process caches the key that signs. Another process may promote the next one: DNS then has both. */
const CACHED_FOR = 5 * MINUTE

export class SigningKeys extends Context.Tag("@mailroom/SigningKeys")<
  SigningKeys,
  {
    /** Generates a key pair with a new selector. */
    readonly generate: Effect.Effect<NewKey>
    /** The key that signs mail from a custom domain. */
    readonly ofDomain: (domain: DomainRecord) => Effect.Effect<SigningKey>
    /** The key that signs mail from the platform domain. The first call generates it. */
    readonly ofPlatform: Effect.Effect<SigningKey>
    /** The DNS records of the platform's keys: the key that signs, and the next one if there is one. */
    readonly platformRecords: Effect.Effect<ReadonlyArray<DnsRecord>, DnsUnavailable>
    /** Generates the platform's next key, unless there is one. It signs once DNS has its record. */
    readonly rotatePlatform: Effect.Effect<void>
    /** Promotes the platform's next key if DNS has its record. */
    readonly checkPlatform: Effect.Effect<void, DnsUnavailable>
  }
>() {
  static readonly layer = Layer.effect(
    SigningKeys,
    Effect.gen(function* () {
      const audit = yield* AuditLog
      const keys = yield* DkimKeys
      const vault = yield* Vault
      const store = yield* PlatformKeyStore
      const dns = yield* Dns
      const ids = yield* Ids
      const { commit } = yield* UnitOfWork
      const { platformDomain } = yield* Settings

      const generate = Effect.gen(function* () {
        const { publicKey, privateKey } = yield* keys.generate
        const selector = `mr${yield* ids.secret(4)}`
        return { selector, publicKey, sealedKey: yield* vault.seal(privateKey) } satisfies NewKey
      })

      const opened = (domain: string, selector: string, sealed: string): Effect.Effect<SigningKey> =>
        Effect.map(vault.open(sealed), (privateKey) => ({ domain, selector, privateKey }))

      const ofRole = (role: PlatformKeyRole) =>
        Effect.map(store.all, (all) => all.find((key) => key.role === role))

      const insert = (role: PlatformKeyRole, key: NewKey) =>
        Effect.flatMap(Clock.currentTimeMillis, (createdAt) => store.insert({ ...key, role, createdAt }))

      /** Reads the current key, or generates it. Of concurrent processes, all use the key that was stored first. */
      const current: Effect.Effect<PlatformKeyRecord> = Effect.flatMap(ofRole("CURRENT"), (known) =>
        known === undefined
          ? Effect.flatMap(generate, (key) => insert("CURRENT", key)).pipe(
              Effect.zipRight(Effect.suspend(() => current)),
            )
          : Effect.succeed(known),
      )

      const [ofPlatform, invalidate] = yield* Effect.cachedInvalidateWithTTL(
        Effect.flatMap(current, ({ selector, sealedKey }) => opened(platformDomain, selector, sealedKey)),
        CACHED_FOR,
      )

      const recordOf = ({ selector, publicKey }: PlatformKeyRecord) => {
        const host = dkimHost(selector, platformDomain)
        return orNone(dns.txt(host)).pipe(
          Effect.mapError(() => new DnsUnavailable({ domain: platformDomain })),
          Effect.map((found) => dkimRecord(host, publicKey, judgeDkim(found, publicKey))),
        )
      }

      return {
        generate,
        ofDomain: ({ domain, dkimSelector, sealedDkimKey }) => opened(domain, dkimSelector, sealedDkimKey),
        // A failure is not cached.
        ofPlatform: Effect.onError(ofPlatform, () => invalidate),
        platformRecords: Effect.gen(function* () {
          const key = yield* current
          const next = yield* ofRole("NEXT")
          return yield* Effect.forEach(next === undefined ? [key] : [key, next], recordOf)
        }),
        rotatePlatform: Effect.gen(function* () {
          yield* current
          if ((yield* ofRole("NEXT")) !== undefined) return
          const next = yield* generate
          // Another process may have inserted its key in the meantime: that key is the next one.
          yield* commit(
            Effect.whenEffect(
              audit.record({
                accountId: null,
                actor: operatorActor,
                action: "platform.key_rotated",
                target: next.selector,
              }),
              insert("NEXT", next),
            ),
          )
        }),
        checkPlatform: Effect.gen(function* () {
          const next = yield* ofRole("NEXT")
          if (next === undefined) return
          const { state } = yield* recordOf(next)
          if (state === "VALID") yield* store.promote(next.selector)
        }),
      }
    }),
  )
}
