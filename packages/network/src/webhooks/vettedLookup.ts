/** Which address a webhook's host is reached at (decisions §7). */
import { isPublicAddress } from "@mailroom/domain"
import { Dns } from "@mailroom/engine"
import { Cause, Effect, Exit, Runtime } from "effect"
import { isIP, type LookupFunction } from "node:net"
import { PRIVATE_ADDRESS, TargetRefused } from "./reasons.js"

/** Fails unless the address may be connected to. */
const vet = (address: string, allowPrivate: boolean): Effect.Effect<string, TargetRefused> =>
  isIP(address) !== 0 && (allowPrivate || isPublicAddress(address))
    ? Effect.succeed(address)
    : Effect.fail(new TargetRefused({ reason: PRIVATE_ADDRESS }))

/**
 * The socket's own name lookup: it connects to the addresses this gives it and asks nobody else, so there is no
 * second answer for a rebinding name server to give. One address that is not public refuses them all.
 */
export const vettedLookup = (runtime: Runtime.Runtime<Dns>, allowPrivate: boolean): LookupFunction => {
  const resolve = (host: string) =>
    Effect.flatMap(Dns, (dns) => dns.addresses(host)).pipe(
      Effect.mapError(
        ({ reason }) =>
          new TargetRefused({
            reason: reason === "not found" ? "name does not resolve" : "name server does not answer",
          }),
      ),
      Effect.flatMap(Effect.forEach((address) => vet(address, allowPrivate))),
      Effect.map((addresses) => addresses.map((address) => ({ address, family: isIP(address) }))),
    )

  const runCallback = Runtime.runCallback(runtime)

  return (host, options, callback) => {
    runCallback(resolve(host), {
      onExit: Exit.match({
        onFailure: (cause) => {
          const error = Cause.squash(cause)
          callback(error instanceof Error ? error : new TargetRefused({ reason: "name lookup failed" }), [])
        },
        onSuccess: (found) => {
          const [first] = found
          if (options.all === true || first === undefined) callback(null, found)
          else callback(null, first.address, first.family)
        },
      }),
    })
  }
}
