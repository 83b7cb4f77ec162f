/** The mailboxes of the account, which several pages show. */
import { mailroom } from "../../data/client.js"
import { loader } from "../../data/resource.js"

export const mailboxes = loader(async (_, signal) => (await mailroom.mailboxes.list({ signal })).items)
