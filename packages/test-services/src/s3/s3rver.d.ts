/** Types for the parts of s3rver that we use; it has none of its own. */

declare module "s3rver" {
  import type { S3Store } from "s3rver/lib/models/object.js"
  import type { AddressInfo } from "node:net"
  export default class S3rver {
    constructor(options: {
      readonly address: string
      readonly port: number
      readonly silent: boolean
      readonly directory: string
      readonly configureBuckets: ReadonlyArray<{ readonly name: string }>
    })
    store: S3Store
    readonly context: { store: S3Store }
    run(): Promise<AddressInfo>
    close(): Promise<void>
  }
}

declare module "s3rver/lib/models/object.js" {
  import type { Readable } from "node:stream"

  export type Metadata = Readonly<Record<string, string | number>>

  /** The methods of its store that hold objects. */
  export interface S3Store {
    existsObject: (bucket: string, key: string) => Promise<boolean>
    getObject: (
      bucket: string,
      key: string,
      range?: { readonly start?: number; readonly end?: number },
    ) => Promise<S3Object | null>
    putObject: (object: S3Object) => Promise<{ readonly size: number; readonly md5: string }>
    deleteObject: (bucket: string, key: string) => Promise<void>
  }

  export default class S3Object {
    constructor(bucket: string, key: string, content: Readable | null, metadata: Metadata)
    readonly bucket: string
    readonly key: string
    readonly content: Readable | Buffer | null
    readonly metadata: Metadata
    range?: { readonly start: number; readonly end: number }
  }
}
