/** Every component in its states, on one page: to look at, and for the tests of the components. */
import { render } from "preact"
import { useState } from "preact/hooks"
import { ConnectionError } from "@mailroom/client"
import { Button, IconButton, LinkButton } from "../src/components/Button.js"
import { CodeBlock, CopyField } from "../src/components/Copy.js"
import { ConfirmDialog } from "../src/components/Dialog.js"
import { Checkbox, Form, SelectField, Switch, TextAreaField, TextField } from "../src/components/Form.js"
import { Failure } from "../src/components/Loaded.js"
import { Menu } from "../src/components/Menu.js"
import { Badge, Empty, Notice, Skeleton } from "../src/components/Notice.js"
import { Card, PageHead } from "../src/components/Page.js"
import { SecretDialog } from "../src/components/Secret.js"
import { Table } from "../src/components/Table.js"
import { Tabs } from "../src/components/Tabs.js"
import { say, Toasts } from "../src/components/Toasts.js"
import { Bytes, Time } from "../src/components/Values.js"
import { VirtualList } from "../src/components/VirtualList.js"

const tones = ["neutral", "accent", "good", "warn", "bad"] as const

const Buttons = () => (
  <Card title="Buttons">
    <p>
      <Button kind="primary">Primary</Button> <Button>Secondary</Button> <Button kind="quiet">Quiet</Button>{" "}
      <Button kind="danger">Danger</Button> <Button busy>Busy</Button> <Button disabled>Disabled</Button>{" "}
      <Button size="small" icon="plus">
        Small
      </Button>{" "}
      <LinkButton href="/dashboard">Link</LinkButton> <IconButton icon="trash" label="Delete" />
    </p>
  </Card>
)

type Policy = "open" | "review"

const Fields = () => {
  const [name, setName] = useState("")
  const [text, setText] = useState("")
  const [policy, setPolicy] = useState<Policy>("open")
  const [isOn, setOn] = useState(false)
  const [isChosen, setChosen] = useState(true)
  return (
    <Card title="Fields">
      <Form label="Fields" fields={[]} onSubmit={() => say(`Saved as ${name}`)}>
        <TextField
          name="name"
          label="Name"
          value={name}
          onInput={setName}
          hint="As others see it."
          optional
        />
        <TextField name="wrong" label="Wrong" value="" onInput={setName} wrong="This is needed." />
        <TextAreaField name="text" label="Text" value={text} onInput={setText} />
        <SelectField
          name="policy"
          label="Policy"
          value={policy}
          options={[
            { value: "open", label: "Send at once" },
            { value: "review", label: "Review everything" },
          ]}
          onChange={setPolicy}
        />
        <Switch label="Switch" checked={isOn} onChange={setOn} hint={isOn ? "It is on." : "It is off."} />
        <Checkbox label="Checkbox" checked={isChosen} onChange={setChosen} />
        <Button type="submit">Save</Button>
      </Form>
    </Card>
  )
}

const Overlays = () => {
  const [isOpen, setOpen] = useState(false)
  const [isShown, setShown] = useState(false)
  return (
    <Card title="Overlays">
      <Button onClick={() => setOpen(true)}>Delete mailbox</Button>{" "}
      <Button onClick={() => setShown(true)}>Show the secret</Button>{" "}
      <Button onClick={() => say("Moved.", { label: "Undo", run: () => say("Moved back.") })}>Move</Button>{" "}
      <Menu
        label="More"
        items={[
          { label: "Rename", icon: "gear", run: () => say("Renamed.") },
          { label: "Delete", icon: "trash", danger: true, run: () => setOpen(true) },
        ]}
      >
        …
      </Menu>
      {isOpen && (
        <ConfirmDialog
          title="Delete this mailbox?"
          action="Delete mailbox"
          typed="DELETE"
          danger
          onConfirm={() => Promise.reject(new ConnectionError("The service cannot be reached."))}
          onClose={() => setOpen(false)}
        >
          <p>Its mail is gone for good.</p>
        </ConfirmDialog>
      )}
      {isShown && (
        <SecretDialog title="The key" label="key" secret="sk_1234" onClose={() => setShown(false)}>
          <TextField name="place" label="Where it is kept" value="" onInput={() => undefined} />
        </SecretDialog>
      )}
    </Card>
  )
}

const Messages = () => (
  <Card title="Messages">
    {tones.map((tone) => (
      <Notice key={tone} kind={tone} title={tone} actions={<Button size="small">Next step</Button>}>
        Something to know. <Badge tone={tone}>{tone}</Badge>
      </Notice>
    ))}
    <Failure error={new ConnectionError("no route")} onRetry={() => undefined} />
    <Empty icon="mail" title="No mail yet" actions={<Button>Copy the address</Button>}>
      <p>Write to the address, and the mail appears here.</p>
    </Empty>
    <Skeleton />
  </Card>
)

const Texts = () => (
  <Card title="Texts">
    <CopyField label="address" text="agent@acme.mailroom.localhost" />
    <CodeBlock label="One" codes={[{ name: "curl", text: "curl -s http://localhost:3000" }]} />
    <CodeBlock
      label="Several"
      codes={[
        { name: "curl", text: "curl" },
        { name: "TypeScript", text: "const mailroom = new Mailroom()" },
      ]}
    />
    <Tabs
      label="Views"
      tabs={[
        { name: "first", label: "First", content: () => <p>The first view.</p> },
        { name: "second", label: "Second", content: () => <p>The second view.</p> },
      ]}
    />
    <p>
      <Time at="2020-05-01T10:00:00.000Z" />, <Bytes value={1_572_864} />
    </p>
  </Card>
)

interface Line {
  readonly name: string
  readonly size: number
}

const lines: ReadonlyArray<Line> = Array.from({ length: 100_000 }, (_, at) => ({
  name: `Row ${at + 1}`,
  size: at,
}))

const Lists = () => {
  const [opened, setOpened] = useState<string>()
  return (
    <>
      <Card title="Table" flush>
        <Table
          label="Files"
          rows={lines.slice(0, 3)}
          keyOf={({ name }) => name}
          columns={[
            { name: "Name", cell: ({ name }) => name },
            { name: "Size", cell: ({ size }) => <Bytes value={size} />, align: "end" },
            { name: "Kind", cell: () => "text/plain", wideOnly: true },
          ]}
        />
      </Card>
      <Card title={`List${opened === undefined ? "" : `: ${opened}`}`} flush>
        <VirtualList
          label="Rows"
          items={lines}
          keyOf={({ name }) => name}
          estimate={40}
          onOpen={({ name }) => setOpened(name)}
        >
          {({ name, size }) => (
            <div class="list-row">
              <span class="list-row-main">
                <strong>{name}</strong>
                {size % 3 === 0 && <span class="faint">Every third has a second line.</span>}
              </span>
            </div>
          )}
        </VirtualList>
      </Card>
    </>
  )
}

const Gallery = () => (
  <main class="main">
    <PageHead title="Components" actions={<Button>Action</Button>}>
      Every component in its states.
    </PageHead>
    <Buttons />
    <Fields />
    <Overlays />
    <Messages />
    <Texts />
    <Lists />
    <Toasts />
  </main>
)

const root = document.getElementById("app")
if (root !== null) render(<Gallery />, root)
