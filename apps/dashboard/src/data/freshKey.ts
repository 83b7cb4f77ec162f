/** An API key that was just made: the service shows it once, and this page keeps it until it is left. */
import { signal } from "@preact/signals"

export const freshKey = signal<string | null>(null)
