/** The addresses at which a webhook's host may be reached: public ones only (spec: decisions.webhook.private-name). */
import { isPublicAddress } from "@mailroom/domain"
import type { Dns, DnsFailure } from "@mailroom/engine"
import { Effect } from "effect"
import { isIP, type LookupFunction } from "node:net"
import { PRIVATE_ADDRESS, TargetRefused } from "./reasons.js"

const mayConnect = (address: string, allowPrivate: boolean): boolean =>
  isIP(address) !== 0 && (allowPrivate || isPublicAddress(address))

/**
 * Resolves a host. Fails with `TargetRefused` if any of its addresses is not public, and with `DnsFailure` if no resolver
 * was asked, which is not the receiver's fault.
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
 * The name lookup of a socket: returns the vetted addresses and sends no DNS query. So a name server cannot give a second,
 * private answer (DNS rebinding).
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
