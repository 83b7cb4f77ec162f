export { blobFailure, BlobsUnusable } from "./failures.js"
export * from "./FileBlobs.js"
export * from "./MemoryBlobs.js"
export type { S3Options } from "./S3Blobs.js"
