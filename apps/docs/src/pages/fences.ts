/**
 * What the first line of a code block says: the language, and in guides how the test of the guides runs it.
 *
 * - `sh`: the test runs it in a shell, after the blocks above it on the page.
 * - `js file=wait.mjs`: the test saves it as a file, which a later block runs.
 * - `json output`, `text output`: what the block above it prints, with `…` for parts that differ.
 * - `sh given`: variables that the test sets to the values of its own service.
 * - `sh not-run=reason`: the test cannot run it, and the reason says why.
 */
export interface Fence {
  readonly language: string
  readonly file?: string | undefined
  readonly output: boolean
  readonly given: boolean
  /** why the test does not run it */
  readonly notRun?: string | undefined
}

/** Reads the words behind the three backticks. */
export const fence = (info: string): Fence => {
  const [language = "", ...words] = info.trim().split(/\s+/)
  const valueOf = (name: string) => words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1)
  return {
    language,
    file: valueOf("file"),
    output: words.includes("output"),
    given: words.includes("given"),
    notRun: valueOf("not-run"),
  }
}
