/** Files on their way to the service while a mail is written. */
import { useEffect, useRef, useState } from "preact/hooks"
import { mailroom } from "../../data/client.js"
import { uploadFile } from "../../data/upload.js"
import type { WrittenFile } from "../../rules/writing.js"

export interface Upload {
  readonly key: number
  readonly filename: string
  readonly sizeBytes: number
  /** from 0 to 1 */
  readonly share: number
  /** why it failed; undefined while it runs */
  readonly error: unknown
}

export interface Uploads {
  readonly running: ReadonlyArray<Upload>
  readonly add: (files: Iterable<File>) => void
  /** stops an upload, or removes one that failed */
  readonly cancel: (key: number) => void
  /** deletes a file that was uploaded here, unless a draft has it by now */
  readonly drop: (id: string) => void
}

let lastKey = 0

/** `onUploaded` is called with each file once the service has it. */
export const useUploads = (onUploaded: (file: WrittenFile) => void): Uploads => {
  const [running, setRunning] = useState<ReadonlyArray<Upload>>([])
  const controllers = useRef(new Map<number, AbortController>())
  const own = useRef(new Set<string>())
  const latest = useRef(onUploaded)
  latest.current = onUploaded

  useEffect(
    () => () => {
      for (const controller of controllers.current.values()) controller.abort()
    },
    [],
  )

  const forget = (key: number) => {
    controllers.current.delete(key)
    setRunning((before) => before.filter((upload) => upload.key !== key))
  }

  const start = (file: File) => {
    const key = ++lastKey
    const controller = new AbortController()
    controllers.current.set(key, controller)
    const change = (part: Partial<Upload>) =>
      setRunning((before) => before.map((upload) => (upload.key === key ? { ...upload, ...part } : upload)))
    const upload = { key, filename: file.name, sizeBytes: file.size, share: 0, error: undefined }
    setRunning((before) => [...before, upload])
    const send = async () => {
      try {
        const uploaded = await uploadFile(file, controller.signal, (share) => change({ share }))
        own.current.add(uploaded.id)
        forget(key)
        latest.current(uploaded)
      } catch (error) {
        if (!controller.signal.aborted) change({ error })
      }
    }
    void send()
  }

  return {
    running,
    add: (files) => {
      for (const file of files) start(file)
    },
    cancel: (key) => {
      controllers.current.get(key)?.abort()
      forget(key)
    },
    drop: (id) => {
      // A draft that has it lets it go when it is saved; then it is gone already.
      if (own.current.delete(id)) void mailroom.attachments.remove(id).catch(() => undefined)
    },
  }
}
