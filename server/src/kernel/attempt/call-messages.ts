import type { CallListeners } from '../ports/upstream.ts'

/** The listeners for the messages of a running call. */
export type MessageListeners = Omit<CallListeners, 'onStarted'>
export type HeldBack = {
  readonly listeners: MessageListeners
  /** The outcome is durable: passes on the messages that are still held back. Later messages are dropped. */
  release(): void
  /** The outcome is not durable: what is held back is dropped. */
  drop(): void
}

/** The maximum number of messages that wait. Tool servers are rate-limited, and a commit takes milliseconds. */
const MOST = 256

/**
 * No message of a tool server reaches the caller before the call is durably recorded. The first message requests that; the messages that
 * arrive in the meantime wait in order.
 */
export function holdBack(listeners: MessageListeners, makeDurable: () => Promise<boolean>): HeldBack {
  const { onLog, onProgress } = listeners
  let waiting: (() => void)[] | undefined = []
  let asked: Promise<void> | undefined

  const passOn = () => {
    const held = waiting ?? []
    waiting = undefined
    for (const message of held) message()
  }
  const ask = async () => {
    if (await makeDurable()) passOn()
  }
  const deliver = (message: () => void): void => {
    if (waiting === undefined) return message()
    if (waiting.length < MOST) waiting.push(message)
    asked ??= ask()
  }
  return {
    listeners: {
      ...listeners,
      ...(onLog === undefined ? {} : { onLog: (line) => deliver(() => onLog(line)) }),
      ...(onProgress === undefined ? {} : { onProgress: (progress) => deliver(() => onProgress(progress)) }),
    },
    release: passOn,
    drop() {
      waiting = []
    },
  }
}

/** How many characters of progress and log lines are collected while a call runs. */
const MOST_COLLECTED = 16_384

/** Wraps the listeners and collects everything they receive: a model reads a log line like an answer. */
export function collectMessages(listeners: MessageListeners): { readonly listeners: MessageListeners; text(): string } {
  const { onLog, onProgress, reported } = listeners
  if (onLog === undefined && onProgress === undefined) return { listeners, text: noText }
  let lines: string[] | undefined
  let length = 0
  const keep = (line: string) => {
    if (length < MOST_COLLECTED) (lines ??= []).push(line.slice(0, MOST_COLLECTED - length))
    length += line.length
  }
  const collecting: { -readonly [Name in keyof MessageListeners]: MessageListeners[Name] } = {}
  if (reported !== undefined) collecting.reported = reported
  if (onLog !== undefined)
    collecting.onLog = (line) => {
      keep(JSON.stringify(line['data'] ?? line))
      onLog(line)
    }
  if (onProgress !== undefined)
    collecting.onProgress = (progress) => {
      if (progress.message !== undefined) keep(progress.message)
      onProgress(progress)
    }
  return { listeners: collecting, text: () => lines?.join('\n') ?? '' }
}

const noText = () => ''
