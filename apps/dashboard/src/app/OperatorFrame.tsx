/** The frame of the operator's pages, behind the admin token. */
import type { ComponentChildren, JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../components/Button.js"
import { Form, TextField } from "../components/Form.js"
import { PageHead } from "../components/Page.js"
import { useAction } from "../data/action.js"
import { enterOperator, leaveOperator, operator } from "../data/operator.js"
import { Frame } from "./Frame.js"
import { PublicFrame } from "./PublicFrame.js"

const TokenForm = (): JSX.Element => {
  const [token, setToken] = useState("")
  const enter = useAction(() => enterOperator(token.trim()))
  return (
    <div class="narrow">
      <PageHead title="Operator">
        The admin token is the ADMIN_TOKEN of the server. Only this tab keeps it.
      </PageHead>
      <Form fields={[]} error={enter.error} onSubmit={() => enter.run()}>
        <TextField
          name="token"
          label="Admin token"
          type="password"
          value={token}
          onInput={setToken}
          autoFocus
        />
        <Button type="submit" kind="primary" wide busy={enter.isRunning} disabled={token.trim() === ""}>
          Continue
        </Button>
      </Form>
    </div>
  )
}

export const OperatorFrame = ({ children }: { children: ComponentChildren }): JSX.Element =>
  operator.value === null ? (
    <PublicFrame>
      <TokenForm />
    </PublicFrame>
  ) : (
    <Frame area="operator" home="/operator" counts={{}} who="Operator" onSignOut={leaveOperator}>
      {children}
    </Frame>
  )
