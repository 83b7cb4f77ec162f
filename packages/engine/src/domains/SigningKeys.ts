/** The keys that mail is signed with, the platform domain's and their succession (RFC 6376; docs/decisions/0033). */
import {
  dkimHost,
  type DnsRecord,
  dkimRecord,
  DnsUnavailable,
  type DomainRecord,
  judgeDkim,
  MINUTE,
  type PlatformKeyRecord,
  type PlatformKeyRole,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { Ids } from "../ids/Ids.js"
import { Vault } from "../ports/Crypto.js"
import { DkimKeys } from "../ports/DkimKeys.js"
import { Dns } from "../ports/Dns.js"
import type { SigningKey } from "../ports/MailSigner.js"
import { Settings } from "../ports/Settings.js"
import { PlatformKeyStore } from "../ports/stores/PlatformKeyStore.js"
import { orNothing } from "./orNothing.js"

/** A key and where its public half is published. */
export interface NewKey {
  readonly selector: string
  readonly publicKey: string
  readonly sealedKey: string
}

/** How long a process goes on with the key it knows after another one saw the next in DNS: both are there then. */
const KNOWN_FOR = 5 * MINUTE

export class SigningKeys extends Context.Tag("@mailroom/SigningKeys")<
  SigningKeys,
  {
    /** A key pair under a selector of its own. */
    readonly generate: Effect.Effect<NewKey>
    /** What mail from a custom domain is signed with. */
    readonly ofDomain: (domain: DomainRecord) => Effect.Effect<SigningKey>
    /** What mail from the platform domain is signed with; made when it is first needed. */
    readonly ofPlatform: Effect.Effect<SigningKey>
    /** The platform's keys as DNS has to have them: the one that signs, then the one that will, if there is one. */
    readonly platformRecords: Effect.Effect<ReadonlyArray<DnsRecord>, DnsUnavailable>
    /** Makes the platform's next key, unless there is one already. It signs once DNS has it. */
    readonly rotatePlatform: Effect.Effect<void>
    /** Looks whether DNS has the platform's next key, which then signs. */
    readonly checkPlatform: Effect.Effect<void, DnsUnavailable>
  }
>() {
  static readonly layer = Layer.effect(
    SigningKeys,
    Effect.gen(function* () {
      const keys = yield* DkimKeys
      const vault = yield* Vault
      const store = yield* PlatformKeyStore
      const dns = yield* Dns
      const ids = yield* Ids
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

      /** Of processes that make one at the same time, all take the first one's. */
      const ensure = (role: PlatformKeyRole): Effect.Effect<PlatformKeyRecord> =>
        Effect.flatMap(ofRole(role), (known) =>
          known === undefined
            ? Effect.gen(function* () {
                yield* store.insert({
                  ...(yield* generate),
                  role,
                  createdAt: yield* Clock.currentTimeMillis,
                })
                return yield* ensure(role)
              })
            : Effect.succeed(known),
        )

      const [ofPlatform, forget] = yield* Effect.cachedInvalidateWithTTL(
        Effect.flatMap(ensure("CURRENT"), ({ selector, sealedKey }) =>
          opened(platformDomain, selector, sealedKey),
        ),
        KNOWN_FOR,
      )

      const look = ({ selector, publicKey }: PlatformKeyRecord) => {
        const host = dkimHost(selector, platformDomain)
        return orNothing(dns.txt(host)).pipe(
          Effect.mapError(() => new DnsUnavailable({ domain: platformDomain })),
          Effect.map((found) => dkimRecord(host, publicKey, judgeDkim(found, publicKey))),
        )
      }

      return {
        generate,
        ofDomain: ({ domain, dkimSelector, sealedDkimKey }) => opened(domain, dkimSelector, sealedDkimKey),
        // A failure to read it is known for no longer than it lasts.
        ofPlatform: Effect.onError(ofPlatform, () => forget),
        platformRecords: Effect.gen(function* () {
          const current = yield* ensure("CURRENT")
          const next = yield* ofRole("NEXT")
          return yield* Effect.forEach(next === undefined ? [current] : [current, next], look)
        }),
        rotatePlatform: Effect.zipRight(ensure("CURRENT"), Effect.asVoid(ensure("NEXT"))),
        checkPlatform: Effect.gen(function* () {
          const next = yield* ofRole("NEXT")
          if (next === undefined) return
          const { state } = yield* look(next)
          if (state === "VALID") yield* store.promote(next.selector)
        }),
      }
    }),
  )
}
