/** Mails from outside, DNS zones of their senders, and their evaluation. */
import type { Authentication } from "@mailroom/domain"
import { type Dns, type Envelope, evaluatedMail, SenderAuthentication } from "@mailroom/engine"
import { SenderAuthenticationInline } from "@mailroom/mail"
import { MemoryDns, MemoryZones, type NameRecords } from "@mailroom/network"
import { Effect, Layer } from "effect"
import { dkimSign } from "mailauth/lib/dkim/sign.js"
import { parseHeaders } from "../../src/parsing/parseMail.js"
import { generateKeyPairSync, type KeyObject } from "node:crypto"

export type Zones = Readonly<Record<string, NameRecords | "unavailable">>

const at = Date.UTC(2026, 2, 1)

export const envelope: Envelope = {
  from: "ada@acme.dev",
  to: ["agent@mailroom.dev"],
  remoteAddress: "192.0.2.1",
  helo: "mx.acme.dev",
  tls: false,
  receivedAt: at,
}

export const evaluated = (
  raw: Uint8Array,
  over: Partial<Envelope> = {},
): Effect.Effect<Authentication, never, SenderAuthentication> =>
  Effect.flatMap(SenderAuthentication, ({ evaluate }) =>
    evaluate(evaluatedMail(raw, parseHeaders(raw, "its body is not read")), { ...envelope, ...over }),
  )

/** DNS with these zones in it. */
export const dnsWith = (zones: Zones): Layer.Layer<Dns | MemoryZones> =>
  Layer.tap(MemoryDns.layer({}), (context) =>
    Effect.forEach(
      Object.entries(zones),
      ([name, records]) => Effect.flatMap(MemoryZones, ({ put }) => put(name, records)),
      { discard: true },
    ).pipe(Effect.provide(context)),
  )

/** `SenderAuthentication` in the calling thread, with these zones. */
export const inZones = (zones: Zones) =>
  Effect.provide(Layer.provideMerge(SenderAuthenticationInline.layer, dnsWith(zones)))

const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 })
const ed25519 = generateKeyPairSync("ed25519")
const weak = generateKeyPairSync("rsa", { modulusLength: 512 })
export const keyPairs = { rsa, ed25519, weak }

export const pem = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }).toString()

const der = (key: KeyObject): Buffer => key.export({ type: "spki", format: "der" })

/** The key records of a domain, under `selector._domainkey`. */
export const keyRecords = {
  rsa: `v=DKIM1; k=rsa; p=${der(rsa.publicKey).toString("base64")}`,
  ed25519: `v=DKIM1; k=ed25519; p=${der(ed25519.publicKey).subarray(-32).toString("base64")}`,
  weak: `v=DKIM1; p=${der(weak.publicKey).toString("base64")}`,
}

export interface SignWith {
  readonly key?: keyof typeof keyPairs
  readonly domain?: string
  readonly canonicalization?: string
  readonly algorithm?: string
  readonly maxBodyLength?: number
  readonly headers?: ReadonlyArray<string>
  readonly expires?: Date
}

/** Signs a mail as others do: with mailauth and not with our code, selector `s`. */
export const signedByOthers = (raw: Uint8Array, options: SignWith = {}): Effect.Effect<Uint8Array> =>
  Effect.promise(async () => {
    const {
      key = "rsa",
      domain = "acme.dev",
      canonicalization = "relaxed/relaxed",
      headers,
      expires,
    } = options
    const signer = { signingDomain: domain, selector: "s", privateKey: pem(keyPairs[key].privateKey) }
    /** mailauth takes the names as one string; its types say otherwise. */
    const headerList: object = headers === undefined ? {} : { headerList: headers.join(":") }
    const { errors, signatures } = await dkimSign(Buffer.from(raw), {
      ...signer,
      ...headerList,
      canonicalization,
      signTime: new Date(at),
      ...(expires === undefined ? {} : { expires }),
      signatureData: [
        {
          ...signer,
          algorithm: options.algorithm ?? (key === "ed25519" ? "ed25519-sha256" : "rsa-sha256"),
          ...(options.maxBodyLength === undefined ? {} : { maxBodyLength: options.maxBodyLength }),
        },
      ],
    })
    if ((errors ?? []).length > 0) throw new Error("mailauth does not sign that")
    return Buffer.concat([Buffer.from(signatures), raw])
  })

/** A minimal mail from an author. */
export const mailFrom = (from: string, ...more: ReadonlyArray<string>): Uint8Array =>
  Buffer.from([`From: ${from}`, "Subject: hello", ...more, "", "Hello there.", ""].join("\r\n"), "latin1")
