/** The tests of every part. */
import { signup } from "./signup.js"

export const tests = { signup }
