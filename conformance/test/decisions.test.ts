/** Every row of the decisions in memory. */
import { inMemory } from "./inMemory.js"
import { decisions } from "./parts/index.js"

inMemory(decisions)
