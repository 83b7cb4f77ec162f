/** The first half of the rules in memory; two files run side by side. */
import { inMemory } from "./inMemory.js"
import { specification } from "./parts/index.js"

inMemory(specification)
