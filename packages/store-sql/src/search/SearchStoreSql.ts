/** The search index in SQL (docs/decisions/0061). */
import * as SqlClient from "@effect/sql/SqlClient"
import { SearchStore } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { LeaseHolder } from "../database/leases.js"
import { dialectOf } from "../dialect.js"
import { itemsByIdOf } from "../messages/messagePages.js"
import { findIn } from "./findMessages.js"
import { fts5Index } from "./fts5.js"
import { storedTextsIn } from "./storedTexts.js"
import { tsvectorIndex } from "./tsvector.js"
import { writingIn } from "./writing.js"

export const SearchStoreSql: Layer.Layer<SearchStore, never, SqlClient.SqlClient | LeaseHolder> =
  Layer.effect(
    SearchStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const words = dialectOf(sql).searchIndex === "fts5" ? fts5Index(sql) : tsvectorIndex(sql)
      return {
        find: findIn(sql, words),
        merge: words.merge,
        items: itemsByIdOf(sql),
        ...storedTextsIn(sql),
        ...writingIn(sql, words, yield* LeaseHolder),
      }
    }),
  )
