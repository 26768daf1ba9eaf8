import type { ClientRequest } from 'node:http'
import { requestTo, type Target } from './client.ts'
import { fieldsOf, type PrintedFields } from './print.ts'

export type EventLine = { readonly event: string; readonly data: PrintedFields; readonly id: string | undefined }

/** Follows the server-sent events of one address until it is stopped. After a lost connection it resumes where it was. */
export type Listen = (path: string, onEvent: (event: EventLine) => void, from?: string) => () => void

const AGAIN_MS = 1_000

export function listenTo(target: Target): Listen {
  return (path, onEvent, from) => {
    let isStopped = false
    let last = from
    let request: ClientRequest | undefined
    const connect = () => {
      if (isStopped) return
      const resumed: Record<string, string> = last === undefined ? {} : { 'last-event-id': last }
      request = requestTo(target, 'GET', path, { accept: 'text/event-stream', ...resumed })
      let isOver = false
      const again = () => {
        if (isOver) return
        isOver = true
        setTimeout(connect, AGAIN_MS)
      }
      request.on('error', again)
      request.on('response', (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
          for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
            const event = eventIn(text.slice(0, end))
            text = text.slice(end + 2)
            if (event === undefined || isStopped) continue
            last = event.id ?? last
            onEvent(event)
          }
        })
        response.on('error', again)
        response.on('close', again)
      })
      request.end()
    }
    connect()
    return () => {
      isStopped = true
      request?.destroy()
    }
  }
}

/** Undefined for a comment or an unknown event. */
export function eventIn(text: string): EventLine | undefined {
  const lines = text.split('\n')
  const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  const [event, data] = [field('event'), field('data')]
  if (event === undefined || data === undefined) return undefined
  try {
    return { event, data: fieldsOf(JSON.parse(data)), id: field('id') }
  } catch {
    return undefined
  }
}
