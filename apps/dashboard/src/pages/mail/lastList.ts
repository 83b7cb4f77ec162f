/** The address of the list of mail that was shown last, to which a thread leads back. */
import { signal } from "@preact/signals"

export const lastList = signal("/dashboard/mail")
