import { spawn } from 'node:child_process'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Pool as UndiciPool } from 'undici'
import { linesOf } from './lines.ts'
import { fromPeers } from './peers.ts'

// A minimal proxy: node:http in, one server out, nothing judged or recorded. `http <url>` forwards the text over a connection pool,
// `stdio <command…>` forwards it to a child's pipes under a new id.
type Frame = { readonly id?: string | number }
type Forward = (body: string, response: ServerResponse) => void

const [kind, ...where] = process.argv.slice(2)
const forward = kind === 'stdio' ? overPipes(where) : overPool(where[0] ?? '')

const server = createServer((request, response) => {
  if (request.method !== 'POST') return response.writeHead(405).end()
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (text: string) => (body += text))
  request.on('end', () => forward(body, response))
  return undefined
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

function overPool(address: string): Forward {
  const { Pool } = fromPeers('undici') as { Pool: typeof UndiciPool }
  const url = new URL(address)
  const pool = new Pool(url.origin, { connections: 128 })
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  return (body, response) => {
    const asked = { path: url.pathname, method: 'POST' as const, headers, body }
    pool.request(asked).then(
      async ({ statusCode, body }) => reply(response, statusCode, await body.text()),
      () => reply(response, 502, ''),
    )
  }
}

function overPipes([command = '', ...args]: readonly string[]): Forward {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map<number, { readonly id: string | number; readonly response: ServerResponse }>()
  let sent = 0
  linesOf(child.stdout, (lines) => {
    for (const line of lines) {
      const answer = JSON.parse(line) as { id: number }
      const asked = waiting.get(answer.id)
      waiting.delete(answer.id)
      if (asked !== undefined) reply(asked.response, 200, JSON.stringify({ ...answer, id: asked.id }))
    }
  })
  return (body, response) => {
    const frame = JSON.parse(body) as Frame
    if (frame.id === undefined) {
      child.stdin.write(`${body}\n`)
      return void response.writeHead(202).end()
    }
    const id = (sent += 1)
    waiting.set(id, { id: frame.id, response })
    return void child.stdin.write(`${JSON.stringify({ ...frame, id })}\n`)
  }
}
