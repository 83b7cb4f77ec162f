/** The newest warnings and errors of the log. */
import type { JSX } from "preact"
import { Loaded } from "../../components/Loaded.js"
import { Badge } from "../../components/Notice.js"
import { Card } from "../../components/Page.js"
import { Time } from "../../components/Values.js"
import { usePolling } from "../../data/polling.js"
import { useResource } from "../../data/resource.js"
import { errors } from "./operatorApi.js"

const EVERY = 10_000
const SHOWN = 50

export const LoggedLines = (): JSX.Element => {
  const found = useResource(errors)
  usePolling(!found.isLoading, EVERY, found.reload)
  return (
    <Card title="Recent warnings and errors" flush>
      <Loaded resource={found}>
        {(lines) =>
          lines.length === 0 ? (
            <p class="card-line faint">None since the start of the process that answers.</p>
          ) : (
            <ul class="log-lines">
              {lines.slice(0, SHOWN).map((line) => (
                <li key={`${line.at} ${line.message}`}>
                  <details>
                    <summary>
                      <Badge tone={line.level === "WARN" ? "warn" : "bad"}>
                        {line.level === "WARN" ? "Warning" : "Error"}
                      </Badge>
                      <span class="clip">{line.message}</span>
                      <span class="faint">
                        <Time at={line.at} />
                      </span>
                    </summary>
                    <pre tabIndex={0}>{line.detail === "" ? line.message : line.detail}</pre>
                  </details>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}
