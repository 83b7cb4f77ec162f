/** Senders whose remote images this browser shows without asking. */
import { readStored, store } from "./storage.js"

const SENDERS = "images-from"

/** The most that are kept; the oldest go first. */
const KEPT_MAX = 500

const read = (): ReadonlyArray<string> =>
  (readStored("local", SENDERS) ?? "").split("\n").filter((text) => text !== "")

const nameOf = (address: string): string => address.trim().toLowerCase()

export const hasAllowedImages = (address: string): boolean => read().includes(nameOf(address))

export const allowImagesOf = (address: string): void => {
  const name = nameOf(address)
  store("local", SENDERS, [...read().filter((one) => one !== name), name].slice(-KEPT_MAX).join("\n"))
}
