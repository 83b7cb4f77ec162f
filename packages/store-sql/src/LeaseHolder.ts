/** Who takes the leases: this process, by a name that no other process has, nor had before. */
import { Context, Layer } from "effect"
import { randomUUID } from "node:crypto"

export class LeaseHolder extends Context.Tag("@mailroom/store-sql/LeaseHolder")<LeaseHolder, string>() {
  static readonly layer: Layer.Layer<LeaseHolder> = Layer.sync(LeaseHolder, randomUUID)
}
