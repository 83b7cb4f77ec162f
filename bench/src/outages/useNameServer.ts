/**
 * Loaded into the server before its own code: every resolver asks the name server at `BENCH_NAME_SERVER`. The server
 * itself has no setting for name servers, because it uses those of the machine.
 */
import dns, { Resolver } from "node:dns/promises"
import { syncBuiltinESMExports } from "node:module"

const server = process.env["BENCH_NAME_SERVER"]

class BenchResolver extends Resolver {
  constructor(...options: ConstructorParameters<typeof Resolver>) {
    super(...options)
    if (server !== undefined) this.setServers([server])
  }
}

Object.assign(dns, { Resolver: BenchResolver })
syncBuiltinESMExports()
