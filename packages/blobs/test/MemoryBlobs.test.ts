import { MemoryBlobs } from "@mailroom/blobs"
import { blobsContract } from "./blobs.contract.js"

blobsContract("MemoryBlobs", MemoryBlobs.layer)
