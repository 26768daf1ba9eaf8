/** One event of a stream. A comment is an event without a kind: it only shows that the gate is alive. */
export type StreamEvent = {
  readonly kind: string
  readonly data: Readonly<Record<string, unknown>>
  /** Where to resume after a lost connection. */
  readonly id?: string
}

/** The gate sends no longer events. */
const MOST_CHARACTERS = 16_777_216

/** The events of a response, in order (text/event-stream). Ends with the response. */
export async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      rest += decoder.decode(value, { stream: true })
      const blocks = rest.split(/\r?\n\r?\n/)
      rest = blocks.pop() ?? ''
      if (rest.length > MOST_CHARACTERS) throw new Error('an event of the stream is too long')
      for (const block of blocks) {
        const event = eventOf(block)
        if (event !== undefined) yield event
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** Undefined if the data is not JSON, which the gate never sends. */
function eventOf(block: string): StreamEvent | undefined {
  let kind = ''
  let id: string | undefined
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    const [, field = '', value = ''] = /^(\w+): ?(.*)$/s.exec(line) ?? []
    if (field === 'event') kind = value
    else if (field === 'data') data.push(value)
    else if (field === 'id') id = value
  }
  const read = data.length === 0 ? {} : objectIn(data.join('\n'))
  return read === undefined ? undefined : { kind, data: read, ...(id === undefined ? {} : { id }) }
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
