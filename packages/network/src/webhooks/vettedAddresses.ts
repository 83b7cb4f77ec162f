/** Which addresses a webhook's host is reached at (decisions §7). */
import { isPublicAddress } from "@mailroom/domain"
import type { Dns, DnsFailure } from "@mailroom/engine"
import { Effect } from "effect"
import { isIP, type LookupFunction } from "node:net"
import { PRIVATE_ADDRESS, TargetRefused } from "./reasons.js"

const mayConnect = (address: string, allowPrivate: boolean): boolean =>
  isIP(address) !== 0 && (allowPrivate || isPublicAddress(address))

/**
 * The addresses of a host; one that is not public refuses them all. Fails with `DnsFailure` when the name was not asked
 * for, which is not the receiver's fault.
 */
export const vettedAddresses = (
  dns: Dns["Type"],
  host: string,
  account: string,
  allowPrivate: boolean,
): Effect.Effect<ReadonlyArray<string>, TargetRefused | DnsFailure> =>
  dns.addresses(host, account).pipe(
    Effect.mapError((failure) => {
      switch (failure.reason) {
        case "not found":
          return new TargetRefused({ reason: "name does not resolve" })
        case "unavailable":
          return new TargetRefused({ reason: "name server does not answer" })
        case "not asked":
          return failure
      }
    }),
    Effect.filterOrFail(
      (addresses) => addresses.every((address) => mayConnect(address, allowPrivate)),
      () => new TargetRefused({ reason: PRIVATE_ADDRESS }),
    ),
  )

/**
 * A socket's own name lookup: it connects to the addresses that were vetted last and asks nobody else, so there is no
 * second answer for a rebinding name server to give.
 */
export const lookupAmong =
  (vetted: () => ReadonlyArray<string>): LookupFunction =>
  (_host, options, callback) => {
    const found = vetted().map((address) => ({ address, family: isIP(address) }))
    const [first] = found
    process.nextTick(() => {
      if (options.all === true || first === undefined) callback(null, found)
      else callback(null, first.address, first.family)
    })
  }
