import { spawn } from 'node:child_process'
import { get } from 'node:http'
import { jsonIn, openConnection, postText, type Connection } from './connection.ts'
import { linesOf } from './lines.ts'

/** How requests are sent to a system. `events`: answers arrive on a separate stream (MCP 2024), not as the response. */
export type Target =
  | {
      readonly speaks: 'http' | 'events'
      readonly url: string
      readonly tool: string
      readonly key?: string
      /** For a tool that runs code: the code that makes the call. */
      readonly code?: string
    }
  | { readonly speaks: 'stdio'; readonly command: readonly string[]; readonly tool: string }

export type Answer = {
  readonly id?: number
  readonly result?: {
    readonly content?: readonly { readonly text?: string }[]
    readonly tools?: readonly { name: string }[]
  }
}
type Ask = (id: number, body: string) => Promise<Answer>

/** A client after its handshake. Each lane has one request in progress at a time. */
export type Session = {
  /** Opens this many connections; they are closed after each measurement, because gateways close idle ones. */
  lanes(count: number): Promise<{ readonly asks: readonly Ask[]; close(): void }>
  close(): void
}

const VERSION = '2025-06-18'
const CLIENT = { name: 'bench', version: '1.0.0' }
const INITIALIZE = frame(0, 'initialize', { protocolVersion: VERSION, capabilities: {}, clientInfo: CLIENT })
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}'

export function frame(id: number, method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

export function openSession(target: Target): Promise<Session> {
  if (target.speaks === 'stdio') return stdioSession(target.command)
  const url = new URL(target.url)
  return target.speaks === 'http' ? httpSession(url, target.key) : eventSession(url)
}

async function httpSession(url: URL, key: string | undefined): Promise<Session> {
  const known = key === undefined ? '' : `authorization: Bearer ${key}\r\n`
  const first = await openConnection(url)
  const hello = await first.ask(postText(url, known, INITIALIZE))
  if (hello.status !== 200) throw new Error(`initialize was answered with ${hello.status}: ${hello.body}`)
  const session = /\r\nmcp-session-id: *(\S+)/i.exec(hello.headers)?.[1]
  const headers = `${known}mcp-protocol-version: ${VERSION}\r\n${session === undefined ? '' : `mcp-session-id: ${session}\r\n`}`
  await first.ask(postText(url, headers, INITIALIZED))
  first.close()
  const askOn =
    (connection: Connection): Ask =>
    async (_id, body) =>
      JSON.parse(jsonIn(await connection.ask(postText(url, headers, body)))) as Answer
  return {
    async lanes(count) {
      const connections = await Promise.all(Array.from({ length: count }, () => openConnection(url)))
      return {
        asks: connections.map(askOn),
        close() {
          for (const connection of connections) connection.close()
        },
      }
    },
    close: () => undefined,
  }
}

/** Pending requests, by id. */
function waitingRoom() {
  const waiting = new Map<number, (answer: Answer) => void>()
  return {
    wait: (id: number) => new Promise<Answer>((resolve) => void waiting.set(id, resolve)),
    hear(text: string) {
      const answer = JSON.parse(text) as Answer
      if (answer.id === undefined) return
      waiting.get(answer.id)?.(answer)
      waiting.delete(answer.id)
    },
  }
}

async function eventSession(url: URL): Promise<Session> {
  const { wait, hear } = waitingRoom()
  const stream = get(url, { headers: { accept: 'text/event-stream' } })
  const endpoint = new Promise<string>((found, fail) => {
    stream.once('error', fail)
    stream.once('response', (response) => {
      if (response.statusCode !== 200) fail(new Error(`the stream was answered with ${response.statusCode}`))
      let event = 'message'
      linesOf(response, (lines) => {
        for (const line of lines) {
          if (line.startsWith('event:')) event = line.slice(6).trim()
          else if (line.startsWith('data:') && event === 'endpoint') found(line.slice(5).trim())
          else if (line.startsWith('data:')) hear(line.slice(5))
        }
      })
    })
  })
  const posts = new URL(await endpoint, url)
  const askOn =
    (connection: Connection): Ask =>
    async (id, body) => {
      const answer = wait(id)
      const taken = await connection.ask(postText(posts, '', body))
      if (taken.status >= 300) throw new Error(`a message was answered with ${taken.status}: ${taken.body}`)
      return answer
    }
  const first = await openConnection(posts)
  await askOn(first)(0, INITIALIZE)
  await first.ask(postText(posts, '', INITIALIZED))
  first.close()
  return {
    async lanes(count) {
      const connections = await Promise.all(Array.from({ length: count }, () => openConnection(posts)))
      return {
        asks: connections.map(askOn),
        close() {
          for (const connection of connections) connection.close()
        },
      }
    },
    close: () => void stream.destroy(),
  }
}

async function stdioSession([command = '', ...args]: readonly string[]): Promise<Session> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const { wait, hear } = waitingRoom()
  linesOf(child.stdout, (lines) => {
    for (const line of lines) hear(line)
  })
  const ask: Ask = (id, body) => {
    const answer = wait(id)
    child.stdin.write(`${body}\n`)
    return answer
  }
  await ask(0, INITIALIZE)
  child.stdin.write(`${INITIALIZED}\n`)
  return {
    async lanes(count) {
      return { asks: Array.from({ length: count }, () => ask), close: () => undefined }
    },
    close: () => void child.stdin.end(),
  }
}
