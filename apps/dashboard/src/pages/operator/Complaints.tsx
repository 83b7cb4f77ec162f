/** The accounts of the newest complaints, with what bounces for them. */
import type { JSX } from "preact"
import { Loaded } from "../../components/Loaded.js"
import { Card } from "../../components/Page.js"
import { Time } from "../../components/Values.js"
import { useResource } from "../../data/resource.js"
import { countText, numberText } from "../../rules/texts.js"
import { complainedAbout } from "./operatorApi.js"

export const Complaints = (): JSX.Element => (
  <Card title="Complaints and bounces" flush>
    <Loaded resource={useResource(complainedAbout)}>
      {(list) =>
        list.length === 0 ? (
          <p class="card-line faint">None. Accounts whose mail is reported as spam appear here.</p>
        ) : (
          <ul class="line-list" aria-label="Accounts with complaints">
            {list.map(({ slug, count, newest, bouncedToday, sentToday }) => (
              <li key={slug} class="list-row">
                <span class="list-row-main">
                  <a href={`/operator/accounts?q=${encodeURIComponent(slug)}`}>{slug}</a>
                  <span class="faint">
                    {countText(count, "complaint")} · {numberText(bouncedToday)} of {numberText(sentToday)}{" "}
                    bounced today
                  </span>
                </span>
                <span class="faint">
                  <Time at={newest} />
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  </Card>
)
