/** From one plan to another. */
import { Plan } from "./plans.js"

/** Whether a plan allows more than another: the plans stand in their order. */
export const isUpgrade = (from: Plan, to: Plan): boolean =>
  Plan.literals.indexOf(to) > Plan.literals.indexOf(from)
