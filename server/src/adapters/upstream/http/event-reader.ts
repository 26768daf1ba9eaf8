import { lineReader, type Overlong } from '../line-reader.ts'

export type ServerEvent = { readonly event: string; readonly data: string }

export type EventSink = {
  event(event: ServerEvent): void
  /** An event over the limit has ended; the next one is read as usual. */
  overlong(event: Overlong): void
  /** An event over the limit does not end. Called once; nothing is read afterwards. */
  endless(event: Overlong): void
}

export type EventReader = {
  push(chunk: Buffer): void
  /** The last id the server gave, to resume from there. */
  lastId(): string | undefined
  /** How long the server asks to wait before that. */
  retryMs(): number | undefined
}

/** An event this many limits long is considered endless. */
const ENDLESS = 10
/** The name of a field precedes its data. */
const FIELD = 64

/**
 * Server-sent events, as far as MCP uses them: lines end in a line feed, with or without a carriage return before it.
 * INVARIANT: holds at most one limit of data and one chunk, whatever is sent.
 */
export function eventReader(limit: number, sink: EventSink): EventReader {
  let name = ''
  let data: string[] = []
  let bytes = 0
  let spoilt: Overlong | undefined
  let last_id: string | undefined
  let retry_ms: number | undefined

  function dispatch(): void {
    const [event, long] = [{ event: name === '' ? 'message' : name, data: data.join('\n') }, spoilt]
    const is_empty = data.length === 0
    name = ''
    data = []
    bytes = 0
    spoilt = undefined
    if (long !== undefined) sink.overlong(long)
    else if (!is_empty) sink.event(event)
  }

  function keep(value: string, size: number): void {
    bytes += size
    if (spoilt === undefined && bytes <= limit) data.push(value)
    else {
      spoilt ??= { head: (data[0] ?? value).slice(0, FIELD), tail: '', bytes }
      spoilt = { ...spoilt, tail: value.slice(-FIELD), bytes }
      data = []
    }
  }

  function field(line: string, size: number): void {
    const colon = line.indexOf(':')
    const [key, raw] = colon === -1 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1)]
    const value = raw.startsWith(' ') ? raw.slice(1) : raw
    if (key === 'data') keep(value, size)
    else if (key === 'event') name = value
    else if (key === 'id' && !value.includes('\0')) last_id = value
    else if (key === 'retry' && /^\d{1,9}$/.test(value)) retry_ms = Number(value)
  }

  const withoutField = (line: Overlong): Overlong => ({ ...line, head: line.head.replace(/^\uFEFF?data: ?/, '') })
  const reader = lineReader(
    { line: limit + FIELD, endless: limit * ENDLESS, blank: true },
    {
      line(raw) {
        const line = raw
          .toString()
          .replace(/^\uFEFF/, '')
          .replace(/\r$/, '')
        if (line === '') dispatch()
        else field(line, raw.length)
      },
      overlong: (line) => (spoilt ??= withoutField(line)),
      endless: (line) => sink.endless(withoutField(line)),
    },
  )
  return { push: (chunk) => reader.push(chunk), lastId: () => last_id, retryMs: () => retry_ms }
}
