/** Every row of the specification in memory. */
import { inMemory } from "./inMemory.js"
import { specification } from "./parts/index.js"

inMemory(specification)
