export { BlobsUnusable } from "./BlobsUnusable.js"
export { blobFailure } from "./failure.js"
export * from "./FileBlobs.js"
export * from "./MemoryBlobs.js"
