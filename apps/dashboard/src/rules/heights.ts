/** What of a list is in sight, in pixels. */
export interface View {
  readonly top: number
  readonly height: number
}

/**
 * The heights of the rows of a long list: an estimate for each, corrected by what was measured. Finds the row at an offset and
 * the offset of a row in a logarithm of steps (a Fenwick tree of the corrections).
 */
export class Heights {
  readonly #tree: Float64Array
  readonly #corrections: Float64Array
  readonly #rows: ReadonlyMap<string, number>
  /** the largest power of two that is not above the count */
  readonly #top: number

  /** `before`: the heights of the list until now, of which the rows that stay keep theirs. */
  constructor(
    readonly keys: ReadonlyArray<string>,
    readonly estimate: number,
    before?: Heights,
  ) {
    const count = keys.length
    this.#tree = new Float64Array(count + 1)
    this.#corrections = new Float64Array(count)
    this.#rows = new Map(keys.map((key, row) => [key, row]))
    this.#top = count === 0 ? 0 : 2 ** Math.floor(Math.log2(count))
    if (before?.estimate !== estimate) return
    for (const [row, key] of keys.entries()) {
      const known = before.rowOf(key)
      if (known !== undefined) this.measure(row, before.height(known))
    }
  }

  get count(): number {
    return this.keys.length
  }

  /** undefined when the list has no such row */
  rowOf(key: string): number | undefined {
    return this.#rows.get(key)
  }

  height(row: number): number {
    return this.estimate + (this.#corrections[row] ?? 0)
  }

  /** Sets what was measured. The result says whether that differs from what was known. */
  measure(row: number, height: number): boolean {
    const change = height - this.height(row)
    if (Math.abs(change) < 0.5 || row < 0 || row >= this.count) return false
    this.#corrections[row] = (this.#corrections[row] ?? 0) + change
    for (let index = row + 1; index <= this.count; index += index & -index)
      this.#tree[index] = (this.#tree[index] ?? 0) + change
    return true
  }

  /** The distance of a row's upper edge from that of the list. */
  offset(row: number): number {
    let sum = row * this.estimate
    for (let index = row; index > 0; index -= index & -index) sum += this.#tree[index] ?? 0
    return sum
  }

  get total(): number {
    return this.offset(this.count)
  }

  /** The row at a distance from the upper edge of the list; the first or the last beyond its edges. */
  rowAt(offset: number): number {
    let row = 0
    let rest = offset
    for (let step = this.#top; step > 0; step = Math.floor(step / 2)) {
      const next = row + step
      const height = step * this.estimate + (this.#tree[next] ?? 0)
      if (next <= this.count && height <= rest) {
        row = next
        rest -= height
      }
    }
    return Math.max(0, Math.min(row, this.count - 1))
  }

  /**
   * Where a list that was scrolled to `view` scrolls to after a change, so that its rows in sight stay where they are. At the upper
   * edge it stays, and new rows come into sight. A row that moved up, such as a thread with a new message, is not followed.
   */
  topAfter(before: Heights, { top, height }: View): number {
    if (top <= 0) return top
    let kept = 0
    let shift = -Infinity
    const last = before.rowAt(top + height)
    for (let row = before.rowAt(top); row <= last; row++) {
      const now = this.rowOf(before.keys[row] ?? "")
      if (now === undefined || now - row <= shift) continue
      kept = row
      shift = now - row
    }
    return shift === -Infinity ? top : top + this.offset(kept + shift) - before.offset(kept)
  }
}
