export type ReceivedEvent = { readonly id: string; readonly event: string; readonly data: Record<string, unknown> }
export type Listener = {
  readonly events: readonly ReceivedEvent[]
  /** The next event of this kind, from where the last `next` stopped. */
  next(event: string): Promise<ReceivedEvent>
  /** Resolves when the other side has ended the stream. */
  readonly ended: Promise<void>
  close(): void
}

/** A reader of server-sent events over a real connection. */
export async function listenTo(url: string, key: string, from?: string): Promise<Listener> {
  const abort = new AbortController()
  const headers = { authorization: `Bearer ${key}`, ...(from === undefined ? {} : { 'last-event-id': from }) }
  const answer = await fetch(url, { headers, signal: abort.signal })
  if (!answer.ok || answer.body === null) throw new Error(await answer.text())
  const events: ReceivedEvent[] = []
  let wake = () => {}
  let read = 0
  const pump = async (body: ReadableStream<Uint8Array>) => {
    let text = ''
    const decoder = new TextDecoder()
    for await (const part of body) {
      text += decoder.decode(part, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) if (/^event: /m.test(block)) events.push(eventIn(block))
      wake()
    }
  }
  const ended = pump(answer.body).catch(() => undefined)
  return {
    events,
    ended,
    async next(event) {
      for (;;) {
        while (read < events.length) {
          const received = events[read]
          read += 1
          if (received?.event === event) return received
        }
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
    close: () => abort.abort(),
  }
}

function eventIn(block: string): ReceivedEvent {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? ''
  return { id: field('id'), event: field('event'), data: JSON.parse(field('data')) as Record<string, unknown> }
}
