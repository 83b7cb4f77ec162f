/** Several engines on one Postgres, under the test's clock, in place of several processes. */
import { Engine } from "@mailroom/engine"
import { inMemoryPorts } from "@mailroom/testing"
import * as PostgresStore from "@mailroom/store-sql/postgres"
import { Layer, Redacted } from "effect"

/** The ports of one process; `name` seeds its ids. */
export const portsOn = (url: string, name: string) =>
  inMemoryPorts({}, name, PostgresStore.layer({ url: Redacted.make(url), maxConnections: 5 }))

type Ports = Layer.Layer.Success<ReturnType<typeof portsOn>>

/** An engine with some of its ports replaced. */
export const engineOn = <O>(url: string, name: string, replaced: Layer.Layer<O, never, Ports>) =>
  Layer.fresh(Layer.provideMerge(Engine.layer, Layer.provideMerge(replaced, portsOn(url, name))))
