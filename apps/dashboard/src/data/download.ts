/** Files of mails, saved by the browser. */
import { mailroom } from "./client.js"

/** Milliseconds after which the browser has surely begun to save. */
const SAVED = 60_000

export const saveFile = async (id: string, filename: string): Promise<void> => {
  const response = await mailroom.attachments.download(id)
  const url = URL.createObjectURL(await response.blob())
  const link = document.createElement("a")
  link.href = url
  link.download = filename
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), SAVED)
}
