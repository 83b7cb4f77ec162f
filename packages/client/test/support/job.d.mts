import type { Mailroom } from "@mailroom/client"
import type { Job } from "./live.js"

export declare const mainJob: (mailroom: Mailroom, job: Job) => Promise<unknown>
