export * from "./NodeMailroom.js"
export { BlobsUnusable } from "@mailroom/blobs"
export { StoreUnusable } from "@mailroom/store-sql"
