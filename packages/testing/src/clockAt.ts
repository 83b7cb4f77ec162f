/** Where a test's time begins. */
import { Chunk, type Layer, TestClock, type TestAnnotations, type TestLive } from "effect"

/** A `TestClock` that shows `instant`, milliseconds since the epoch: setting one waits until all fibers sleep. */
export const clockAt = (
  instant: number,
): Layer.Layer<TestClock.TestClock, never, TestAnnotations.TestAnnotations | TestLive.TestLive> =>
  TestClock.live(TestClock.makeData(instant, Chunk.empty()))
