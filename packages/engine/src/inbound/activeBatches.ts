/** The batches that a process delivers at the moment, by their tenants. */
import type { Deferred } from "effect"
import type { Track } from "./tracks.js"

/** A claimed batch that is not settled yet. */
export interface ActiveBatch {
  readonly tenants: ReadonlyArray<string>
  readonly track: Track
  /**
   * completes when later batches of its tenants may be written: when this one has failed, or has written all its mail except
   * that which waits for sender authentication or the spam filter
   */
  readonly settled: Deferred.Deferred<void>
  /** whether a claim excluded its tenants while this batch was active, so that their mail may still wait */
  wasExcluded: boolean
}

export interface ActiveBatches {
  readonly has: (batch: ActiveBatch) => boolean
  /**
   * The tenants of a track's batches, for a claim to exclude. Marks these batches, so that their end wakes the track that excluded
   * them.
   */
  readonly excludeTenantsOf: (track: Track) => ReadonlyArray<string>
  /** Adds a batch, and returns it with the batches that must be settled before it is written. */
  readonly add: (
    track: Track,
    tenants: ReadonlyArray<string>,
    settled: Deferred.Deferred<void>,
  ) => { readonly activeBatch: ActiveBatch; readonly earlier: ReadonlySet<ActiveBatch> }
  readonly remove: (batch: ActiveBatch) => void
}

export const makeActiveBatches = (): ActiveBatches => {
  const active = new Set<ActiveBatch>()
  /** The newest batch of each tenant. */
  const newestOf = new Map<string, ActiveBatch>()
  return {
    has: (batch) => active.has(batch),
    excludeTenantsOf: (track) => {
      const tenants = new Set<string>()
      for (const batch of active) {
        if (batch.track !== track) continue
        batch.wasExcluded = true
        for (const tenant of batch.tenants) tenants.add(tenant)
      }
      return [...tenants]
    },
    add: (track, tenants, settled) => {
      const activeBatch = { tenants, track, settled, wasExcluded: false }
      const earlier = new Set(tenants.flatMap((tenant) => newestOf.get(tenant) ?? []))
      for (const tenant of tenants) newestOf.set(tenant, activeBatch)
      active.add(activeBatch)
      return { activeBatch, earlier }
    },
    remove: (batch) => {
      active.delete(batch)
      for (const tenant of batch.tenants) if (newestOf.get(tenant) === batch) newestOf.delete(tenant)
    },
  }
}
