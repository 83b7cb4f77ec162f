import type { Server } from "node:net"

/** The port a server got. */
export const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}
