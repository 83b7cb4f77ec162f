/** Deterministic RSA key pairs that are fast to make. FOR TESTS ONLY: the keys are short and predictable. */
import { DkimKeys, Entropy } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { checkPrimeSync, createPrivateKey, createPublicKey } from "node:crypto"

/** Half of a 1024-bit modulus, the least that receivers verify with (RFC 8301 §3.2). */
const PRIME_BYTES = 64
const EXPONENT = 65_537n

/** The inverse of `value` modulo `modulus`, by the extended Euclidean algorithm. */
const inverse = (value: bigint, modulus: bigint): bigint => {
  let [before, rest, last, factor] = [modulus, value % modulus, 0n, 1n]
  while (rest > 0n) {
    const quotient = before / rest
    ;[before, rest] = [rest, before - quotient * rest]
    ;[last, factor] = [factor, last - quotient * factor]
  }
  return ((last % modulus) + modulus) % modulus
}

/** The first prime, counting up from these bytes, that can be a factor of a modulus. */
const primeFrom = (bytes: Uint8Array): bigint => {
  // The two highest bits give the product of two primes its full length; the lowest bit makes the number odd.
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

/** Primes by their seed bytes, and pairs by modulus. All tests of a process start with the same seed, so they share these. */
const knownPrimes = new Map<string, bigint>()
const knownPairs = new Map<bigint, ReturnType<typeof pairOf>>()

const memoize = <K, V>(known: Map<K, V>, key: K, make: () => V): V => {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}

/**
 * Returns a different pair at each run, from a sequence of primes: the first with the second, then each earlier prime with
 * the third, and so on. Finding a prime takes ten milliseconds, and 50 pairs need only 11 primes.
 */
const pairsOf = (bytes: Effect.Effect<Uint8Array>) => {
  const primes: Array<bigint> = []
  let older = 0
  const anotherPrime = Effect.map(bytes, (drawn) => {
    const seed = Buffer.from(drawn).toString("base64")
    primes.push(memoize(knownPrimes, seed, () => primeFrom(drawn)))
    older = 0
  })
  const next: Effect.Effect<ReturnType<typeof pairOf>> = Effect.suspend(() => {
    const [p, q] = [primes[older], primes.at(-1)]
    if (p === undefined || q === undefined || p === q) return Effect.zipRight(anotherPrime, next)
    older += 1
    return Effect.succeed(memoize(knownPairs, p * q, () => pairOf(p, q)))
  })
  return next
}

export const SeededDkimKeys = {
  /** A different pair at each call, from the bytes of `Entropy`. Pairs share primes. */
  layer: Layer.effect(
    DkimKeys,
    Effect.map(Entropy, ({ bytes }) => DkimKeys.of({ generate: pairsOf(bytes(PRIME_BYTES)) })),
  ),
}
