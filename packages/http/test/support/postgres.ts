/** The service over HTTP on a Postgres. */
import { Engine } from "@mailroom/engine"
import * as PostgresStore from "@mailroom/store-sql/postgres"
import { InMemoryHttp, inMemoryPorts } from "@mailroom/testing"
import { Layer, Redacted } from "effect"

export const serviceOn = (url: string) =>
  InMemoryHttp.layerOver.pipe(
    Layer.provideMerge(Engine.layer),
    Layer.provideMerge(
      inMemoryPorts({}, undefined, PostgresStore.layer({ url: Redacted.make(url), maxConnections: 2 })),
    ),
  )
