import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runGate, startGate } from '../../../../test/helpers/with-running-gate.ts'
import { rpc, sendRaw } from '../../../../test/helpers/send-raw.ts'

/** A large output of one session, read in another session of the same user. The gate is a separate process with all its doors. */
const server = (folder: string, more: object) => ({
  command: 'node',
  args: [resolve(import.meta.dirname, '../../../../test/tool-servers/letters.ts')],
  env: { EFFECTS: join(folder, 'effects.txt') },
  tools: {
    read_letter: { effects: ['read'] },
    send_letter: { effects: ['write', 'external'], content: { pii: 'off' } },
  },
  ...more,
})
const configure = (folder: string) =>
  writeFileSync(
    join(folder, 'sluice.yaml'),
    JSON.stringify({
      listen: { port: 0 },
      mcp: { surface: 'passthrough' },
      repetition: { most: 100 },
      policy: { rules: [{ id: 'all', effect: 'allow', match: { tool: '*' }, says: 'provenance does the asking' }] },
      servers: { book: server(folder, {}), house: server(folder, { provenance: { outsiders: false } }) },
    }),
  )

let gate: Awaited<ReturnType<typeof startGate>>
let reader: string
let writer: string
let approver: string
beforeAll(async () => {
  gate = await startGate(configure)
  reader = await gate.key('agent', 'reader', 'ana')
  writer = await gate.key('agent', 'writer', 'ana')
  approver = await gate.key('approver', 'bob')
})
afterAll(async () => gate.stop())

/** Its pointer. Each caller of this uses a separate session. */
async function storedLetter(thread: string): Promise<string> {
  const body = { tool: 'book__read_letter', args: { letter: 'long' }, thread }
  const read = await gate.http('POST', '/v1/calls', reader, body)
  return /artifact:\/\/([0-9a-f]{64})/.exec(JSON.stringify(read.body))?.[1] ?? ''
}
async function sends(thread?: string): Promise<unknown> {
  const args = { to: 'eve@evil.example', text: 'hello' }
  const body = { tool: 'book__send_letter', args, ...(thread === undefined ? {} : { thread }) }
  return (await gate.http('POST', '/v1/calls', writer, body)).body['status']
}
const readOverHttp = (digest: string, query: string) => gate.http('GET', `/v1/artifacts/${digest}?${query}`, writer)

test('over HTTP it enters only the session that reads it, whichever part is read', async () => {
  const digest = await storedLetter('first')
  expect(await sends('untouched')).toBe('executed')
  expect((await readOverHttp(digest, 'session=second&from=0&length=10')).status).toBe(200)
  expect(await sends('second')).toBe('pending')
  expect(await sends('untouched too')).toBe('executed')
  expect((await readOverHttp(digest, 'session=a%0Ab')).body).toMatchObject({ code: 'request.invalid' })
})

test('it is labelled with the tool that it came from', async () => {
  const digest = await storedLetter('first')
  await readOverHttp(digest, 'session=named')
  const args = { to: 'eve@evil.example', text: 'hello' }
  const body = { tool: 'book__send_letter', args, thread: 'named' }
  const { call_id } = (await gate.http('POST', '/v1/calls', writer, body)).body
  const why = await gate.http('GET', `/v1/calls/${String(call_id)}/why`, approver)
  expect(why.body).toMatchObject({ contests: [{ label: 'the output of `book__read_letter`' }] })
})

test('an output of a server with trusted content stays trusted, unless an outsider sent the same text', async () => {
  const ben = await gate.key('agent', 'ben', 'ben')
  const post = async (tool: string, args: object, thread: string) =>
    (await gate.http('POST', '/v1/calls', ben, { tool, args, thread })).body
  const digest = await storedLetter('a')
  const readIn = (thread: string) => gate.http('GET', `/v1/artifacts/${digest}?session=${thread}`, ben)
  const contestsIn = async (thread: string) => {
    const { call_id } = await post('book__send_letter', { to: 'eve@evil.example', text: 'hello' }, thread)
    return (await gate.http('GET', `/v1/calls/${String(call_id)}/why`, approver)).body['contests']
  }
  expect((await readIn('b')).status).toBe(404)
  await post('house__read_letter', { letter: 'long' }, 'c')
  expect((await readIn('d')).status).toBe(200)
  expect(await contestsIn('d')).toEqual([])
  await post('book__read_letter', { letter: 'long' }, 'e')
  await readIn('f')
  expect(await contestsIn('f')).toMatchObject([{ label: 'the output of `book__read_letter`' }])
})

test('over MCP it enters the session of the client, by reading and by searching', async () => {
  const pointer = `artifact://${await storedLetter('first')}`
  for (const [name, args] of [
    ['artifact_read', { pointer, length: 20 }],
    ['artifact_grep', { pointer, pattern: 'Please' }],
  ] as const) {
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    const hello = await sendRaw(gate, writer, { body: rpc('initialize', params) })
    const headers = {
      'mcp-session-id': String(hello.headers['mcp-session-id']),
      'mcp-protocol-version': '2025-06-18',
    }
    await sendRaw(gate, writer, { headers, body: { jsonrpc: '2.0', method: 'notifications/initialized' } })
    const read = await sendRaw(gate, writer, { headers, body: rpc('tools/call', { name, arguments: args }, 2) })
    expect(read.text, name).toContain(name === 'artifact_read' ? 'characters 0 to 20' : 'eve@evil.example')
    const send = { name: 'book__send_letter', arguments: { to: 'eve@evil.example', text: name } }
    const sent = await sendRaw(gate, writer, { headers, body: rpc('tools/call', send, 3) })
    expect(sent.text, name).toContain('"status":"pending"')
  }
})

test('on the command line it enters the named session, or the idle one, and is there after a kill', async () => {
  const digest = await storedLetter('first')
  expect((await gate.cli('--key', writer, 'artifact', digest, '--session', 'shell')).out).toContain('The minutes')
  expect((await gate.cli('--key', writer, 'artifact', digest)).out).toContain('The minutes')
  expect(await sends('shell')).toBe('pending')
  const ended = new Promise((done) => gate.process.once('exit', done))
  gate.process.kill('SIGKILL')
  await ended
  gate = await runGate(gate.folder)
  expect(await sends()).toBe('pending')
  const effects = join(gate.folder, 'effects.txt')
  expect(existsSync(effects) ? readFileSync(effects, 'utf8').trimEnd().split('\n') : []).toHaveLength(2)
})
