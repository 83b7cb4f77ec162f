/** The networks from which the owner of an account has signed in (docs/decisions/0045). */
import type { Dialect } from "../dialect.js"

export const signInNetworkTables = ({ id }: Dialect): ReadonlyArray<string> => [
  `CREATE TABLE sign_in_networks (
    account_id ${id} NOT NULL,
    network ${id} NOT NULL,
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, network)
  )`,
  `CREATE INDEX sign_in_networks_seen ON sign_in_networks (seen_at)`,
]
