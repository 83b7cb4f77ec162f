/** Every contract, on Postgres. */
import { contracts } from "./support/contracts.js"
import { postgres } from "./support/databases.js"

for (const contract of contracts) contract("Postgres", postgres)
