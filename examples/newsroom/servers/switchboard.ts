/**
 * A chat in one file, for machines without a homeserver: it accepts the gate's signed messages, stores who is in which room, and
 * delivers each message to the others there, signed with its own secret. A bridge to any other chat has the same two parts.
 */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Said = { readonly room: string; readonly sender: string; readonly text: string }

export type Switchboard = {
  readonly url: string
  /** Everything that was said, in order. */
  readonly said: readonly Said[]
  /** Sends a message as a member of the room. Resolves with the gate's answer. */
  say(sender: string, room: string, text: string): Promise<readonly unknown[]>
  /** Resolves with the first matching message. */
  waitFor(fits: (said: Said) => boolean): Promise<Said>
  connect(gate: string): void
  close(): Promise<void>
}

export type SwitchboardOptions = {
  readonly rooms: Readonly<Record<string, readonly string[]>>
  /** Signs what the gate sends, and what it is sent. */
  readonly secrets: { readonly fromGate: string; readonly toGate: string }
}

const SERVER = 'newsroom.test'
const sign = (secret: string, id: string, seconds: string, body: string) =>
  `v1,${createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64')}`

export async function openSwitchboard({ rooms, secrets }: SwitchboardOptions): Promise<Switchboard> {
  const said: Said[] = []
  const waiting = new Set<() => void>()
  const known = new Set<string>()
  let gate = ''

  const deliver = async (message: Said): Promise<unknown[]> => {
    said.push(message)
    for (const look of waiting) look()
    const others = (rooms[message.room] ?? []).filter((agent) => message.sender !== `@${agent}:${SERVER}`)
    return (await Promise.all(others.map((agent) => handIn({ agent, ...message })))).flat()
  }

  async function handIn(message: Said & { readonly agent: string }): Promise<unknown[]> {
    const body = JSON.stringify(message)
    const [id, seconds] = [randomUUID(), String(Math.floor(Date.now() / 1000))]
    const answer = await fetch(`${gate}/v1/transports/board/messages`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': seconds,
        'webhook-signature': sign(secrets.toGate, id, seconds, body),
      },
    })
    const { taken } = (await answer.json()) as { readonly taken?: unknown[] }
    if (taken === undefined) throw new Error(`the gate answered with status ${answer.status}`)
    return taken
  }

  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (text: string) => (body += text))
    request.on('end', () => {
      const header = (name: string) => String(request.headers[name] ?? '')
      const [id, seconds] = [header('webhook-id'), header('webhook-timestamp')]
      const wanted = Buffer.from(sign(secrets.fromGate, id, seconds, body))
      const given = Buffer.from(header('webhook-signature'))
      const isGenuine = given.length === wanted.length && timingSafeEqual(given, wanted)
      response.writeHead(isGenuine ? 204 : 401).end()
      // The same id is the same message, sent again.
      if (!isGenuine || known.has(id)) return
      known.add(id)
      const { agent, room, text } = JSON.parse(body) as { agent: string; room: string; text: string }
      void deliver({ room, sender: `@${agent}:${SERVER}`, text })
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    said,
    say: (sender, room, text) => deliver({ sender, room, text }),
    waitFor: (fits) =>
      new Promise((resolve) => {
        const look = () => {
          const found = said.find(fits)
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
    connect: (url) => (gate = url),
    close: () => new Promise((done) => void server.close(() => done())),
  }
}
