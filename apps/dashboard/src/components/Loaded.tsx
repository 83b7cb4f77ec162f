/** Shows a resource: its place while it is loaded, an error with another try, or the value. */
import type { ComponentChildren, JSX } from "preact"
import type { Resource } from "../data/resource.js"
import { errorWords } from "../rules/errors.js"
import { Button } from "./Button.js"
import { Notice, Skeleton } from "./Notice.js"

/** What went wrong, with a button for another try where that may help. */
export const Failure = ({ error, onRetry }: { error: unknown; onRetry?: () => void }): JSX.Element => {
  const { title, text, mayRetry } = errorWords(error)
  const retry = mayRetry && onRetry !== undefined && (
    <Button size="small" onClick={onRetry}>
      Try again
    </Button>
  )
  return (
    <Notice kind="bad" title={title} actions={retry || undefined}>
      {text}
    </Notice>
  )
}

/** A part of the dashboard did not come. Browsers remember that of a script, so the document is loaded again. */
export const Lost = ({ what }: { what: string }): JSX.Element => (
  <Notice
    kind="bad"
    title={`${what} could not be loaded`}
    actions={
      <Button size="small" onClick={() => globalThis.location.reload()}>
        Load again
      </Button>
    }
  >
    The service has a new version, or the connection is lost.
  </Notice>
)

interface LoadedProps<T> {
  readonly resource: Pick<Resource<T>, "data" | "error" | "reload">
  /** as high as what will be there; by default some lines */
  readonly skeleton?: ComponentChildren
  readonly children: (data: T) => ComponentChildren
}

export const Loaded = <T,>({ resource, skeleton, children }: LoadedProps<T>): JSX.Element => {
  const { data, error, reload } = resource
  return (
    <>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {data !== undefined && children(data)}
      {data === undefined && error === undefined && (
        <div role="status">
          <span class="visually-hidden">Loading</span>
          {skeleton ?? <Skeleton />}
        </div>
      )}
    </>
  )
}
