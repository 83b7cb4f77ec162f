/** The second half of the rules in memory; two files run side by side. */
import { inMemory } from "./inMemory.js"
import { decisions } from "./parts/index.js"

inMemory(decisions)
