/** The methods of a resource, on the transport of their client. */
import type { Transport } from "./Transport.js"

export abstract class Resource {
  constructor(protected readonly transport: Transport) {}
}
