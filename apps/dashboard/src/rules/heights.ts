/**
 * The heights of the rows of a long list: an estimate for each, corrected by what was measured. Finds the row at an offset and
 * the offset of a row in a logarithm of steps (a Fenwick tree of the corrections).
 */
export class Heights {
  readonly #tree: Float64Array
  readonly #corrections: Float64Array
  /** the largest power of two that is not above the count */
  readonly #top: number

  constructor(
    readonly count: number,
    readonly estimate: number,
    before?: Heights,
  ) {
    this.#tree = new Float64Array(count + 1)
    this.#corrections = new Float64Array(count)
    this.#top = count === 0 ? 0 : 2 ** Math.floor(Math.log2(count))
    if (before !== undefined && before.estimate === estimate)
      for (let row = 0; row < Math.min(count, before.count); row++)
        if (before.#corrections[row] !== 0) this.measure(row, before.height(row))
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
}
