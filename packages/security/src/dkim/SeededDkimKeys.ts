/** RSA key pairs that are the same every time, and quickly made. FOR TESTS ONLY: short, and anybody can foretell them. */
import { DkimKeys, Entropy } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { checkPrimeSync, createPrivateKey, createPublicKey } from "node:crypto"

/** Half of a 1024-bit modulus, the least that receivers verify with (RFC 8301 §3.2). */
const PRIME_BYTES = 64
const EXPONENT = 65_537n

/** `value`⁻¹ modulo `modulus`, by Euclid. */
const inverse = (value: bigint, modulus: bigint): bigint => {
  let [before, rest, last, factor] = [modulus, value % modulus, 0n, 1n]
  while (rest > 0n) {
    const quotient = before / rest
    ;[before, rest] = [rest, before - quotient * rest]
    ;[last, factor] = [factor, last - quotient * factor]
  }
  return ((last % modulus) + modulus) % modulus
}

/** The first prime from these bytes on that can be half of a modulus. */
const primeFrom = (bytes: Uint8Array): bigint => {
  // The two highest bits make the product of two as long as it has to be; the lowest makes it odd.
  const top = 0xc0n << BigInt(8 * (PRIME_BYTES - 1))
  let candidate = BigInt(`0x${Buffer.from(bytes).toString("hex")}`) | top | 1n
  while (!checkPrimeSync(candidate) || candidate % EXPONENT === 1n) candidate += 2n
  return candidate
}

const base64url = (value: bigint): string => {
  const digits = value.toString(16)
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex").toString("base64url")
}

const pairOf = (p: bigint, q: bigint) => {
  const d = inverse(EXPONENT, (p - 1n) * (q - 1n))
  const key = {
    kty: "RSA",
    n: base64url(p * q),
    e: base64url(EXPONENT),
    d: base64url(d),
    p: base64url(p),
    q: base64url(q),
    dp: base64url(d % (p - 1n)),
    dq: base64url(d % (q - 1n)),
    qi: base64url(inverse(q, p)),
  }
  const privateKey = createPrivateKey({ key, format: "jwk" })
  return {
    publicKey: createPublicKey(privateKey).export({ type: "spki", format: "der" }).toString("base64"),
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  }
}

/** Pairs by the bytes they came from: every test of a process begins with the same seed. */
const known = new Map<string, ReturnType<typeof pairOf>>()

const pairFrom = (one: Uint8Array, other: Uint8Array): ReturnType<typeof pairOf> => {
  const seed = Buffer.concat([one, other]).toString("base64")
  const pair = known.get(seed) ?? pairOf(primeFrom(one), primeFrom(other))
  known.set(seed, pair)
  return pair
}

export const SeededDkimKeys = {
  /** One pair after another from the bytes of `Entropy`. */
  layer: Layer.effect(
    DkimKeys,
    Effect.map(Entropy, ({ bytes }) =>
      DkimKeys.of({
        generate: Effect.zipWith(bytes(PRIME_BYTES), bytes(PRIME_BYTES), pairFrom),
      }),
    ),
  ),
}
