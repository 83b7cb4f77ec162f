/** The blocks of a guide, and the shell script that runs them in the order of the page. */
import { fence, type Fence } from "@mailroom/docs/pages/fences"

export interface Block extends Fence {
  readonly code: string
}

export const blocksOf = (markdown: string): ReadonlyArray<Block> =>
  [...markdown.matchAll(/^```(.*)\n([^]*?)^```$/gm)].map(([, info = "", code = ""]) => ({
    ...fence(info),
    code,
  }))

/** What the test does with a block. */
export const kindOf = ({
  output,
  file,
  given,
  notRun,
}: Block): "output" | "file" | "given" | "not run" | "run" => {
  if (output) return "output"
  if (notRun !== undefined) return "not run"
  if (given) return "given"
  return file === undefined ? "run" : "file"
}

const END = "== end of block =="

/** Saves the files, and runs the other blocks in one shell, as a reader does who pastes the page. */
export const scriptOf = (blocks: ReadonlyArray<Block>): string => {
  const parts = blocks.flatMap((block) => {
    switch (kindOf(block)) {
      case "file":
        return [`cat > ${block.file} <<'END OF FILE'\n${block.code}END OF FILE`]
      case "run":
        return [`${block.code}\necho; echo '${END}'`]
      default:
        return []
    }
  })
  // What runs in the background would keep the output of the shell open.
  return ["trap 'kill $(jobs -p) 2> /dev/null' EXIT", ...parts].join("\n")
}

/** What each block that ran has printed. */
export const outputsOf = (stdout: string): ReadonlyArray<string> => stdout.split(`${END}\n`)

const withoutSpace = (text: string): string => text.replace(/\s+/g, "")

/** Whether an output is as the page shows it: `…` stands for any text, and white space does not count. */
export const isShown = (shown: string, printed: string): boolean => {
  const whole = withoutSpace(printed)
  let from = 0
  for (const part of withoutSpace(shown).split("…")) {
    const at = whole.indexOf(part, from)
    if (at === -1) return false
    from = at + part.length
  }
  return true
}
