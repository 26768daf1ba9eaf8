import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configure, startGate, type RunningGate } from '../doors/with-running-gate.ts'

/** Texts that make a careless search slow. */
const SHAPES = {
  assignments: 'key=',
  passwords: 'password="',
  addresses: 'a@a@a.aa ',
  digits: '1234 ',
  cards: '4111 1111 1111 1111 ',
  key_blocks: '-----BEGIN PRIVATE KEY-----',
  base64: 'Z2hwX3E3UnpUMm1LeDlM',
  tokens: 'eyJhbGciOiJ.',
  urls: '://a:b@',
  colons: 'a:1:',
  dots: '1.1.1.1.',
  names: 'api_key token secret password auth ',
  nested: '{"a":[{"b":',
  percent: '%2541',
  escapes: '\\\\u0041',
  wide: 'ａ',
  hex: '6768705f',
  data: 'data:\n a: b',
  marks: '[REDACTED_X]',
  letters: 'a',
} as const
type Shape = keyof typeof SHAPES
const ALL = Object.keys(SHAPES) as Shape[]
/** In `npm run test:security` all of them; a slice of it every time. */
const isWhole = process.env['SLUICE_SECURITY'] === 'whole'
const ARGUMENTS: readonly Shape[] = isWhole ? ALL : ['assignments', 'cards', 'base64']
const ANSWERS: readonly Shape[] = isWhole ? ALL : ['assignments']

const fill = (unit: string, size: number) => unit.repeat(Math.ceil(size / unit.length)).slice(0, size)
/** Under the limit of a body, which counts bytes and escapes. */
const sizeFor = (unit: string) => Math.floor(1_000_000 / (Buffer.byteLength(JSON.stringify(unit)) / unit.length))

let gate: RunningGate & { stop(): Promise<void> }
let agent = ''
let admin = ''
let monitor = ''
beforeAll(async () => {
  const before = { ...process.env }
  gate = await startGate((folder) => {
    configure(folder)
    const file = join(folder, 'monitor.txt')
    Object.assign(process.env, {
      LOOP_MONITOR: file,
      NODE_OPTIONS: `--import ${join(import.meta.dirname, 'loop-monitor.ts')}`,
    })
    const config = JSON.parse(readFileSync(join(folder, 'sluice.yaml'), 'utf8')) as object
    writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify({ ...config, dlp: { outputs: 'all' } }))
  })
  process.env = before
  monitor = `http://127.0.0.1:${readFileSync(join(gate.folder, 'monitor.txt'), 'utf8')}`
  agent = await gate.key('agent', 'a', 'ana')
  admin = await gate.key('admin', 'b', 'bob')
})
afterAll(() => gate.stop())

/** The longest that the gate's main thread worked without a pause while something was done. */
async function longestDuring(work: () => Promise<unknown>): Promise<number> {
  await fetch(monitor)
  await work()
  return Number(await (await fetch(monitor)).text())
}

let calls = 0
const call = (tool: string, args: object) =>
  gate.http('POST', '/v1/calls', agent, { tool, args, thread: `t${(calls += 1)}` })
const mcp = async (tool: string, args: object) => {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${agent}`,
  }
  const params = { name: tool, arguments: args }
  const body = JSON.stringify({ jsonrpc: '2.0', id: (calls += 1), method: 'tools/call', params })
  return (await fetch(`${gate.url}/mcp`, { method: 'POST', headers, body })).text()
}
const list = () => gate.http('GET', '/v1/approvals?state=pending&limit=5', admin)

/** What harmless text of the same size costs, thrice, and a little: the rest of the work is the same. */
const withinReach = (quiet: number) => Math.max(3 * quiet, quiet + 50)

describe('no text holds the event loop much longer than harmless text of its size', () => {
  const harmless = 'the quick brown fox jumps '
  test('in arguments, over HTTP and MCP, nor in the list of those that wait', { timeout: 600_000 }, async () => {
    const text = fill(harmless, 1_000_000)
    await call('book__note', { text }) // the first one starts the thread
    const quiet = await longestDuring(async () => {
      await call('book__note', { text })
      await mcp('book__note', { text })
      await list()
    })
    const longest: Partial<Record<Shape, number>> = {}
    for (const shape of ARGUMENTS) {
      const hostile = fill(SHAPES[shape], sizeFor(SHAPES[shape]))
      longest[shape] = await longestDuring(async () => {
        expect((await call('book__note', { text: hostile })).status).toBeLessThan(500)
        expect(await mcp('book__note', { text: hostile })).toContain('"jsonrpc"')
        expect((await list()).status).toBe(200)
      })
    }
    expect(ALL.filter((shape) => (longest[shape] ?? 0) > withinReach(quiet))).toEqual([])
  })

  test('in answers', { timeout: 600_000 }, async () => {
    const size = 4_000_000
    const quiet = await longestDuring(() => call('book__big', { size, of: harmless }))
    const longest: Partial<Record<Shape, number>> = {}
    for (const shape of ANSWERS)
      longest[shape] = await longestDuring(async () => {
        expect((await call('book__big', { size: 4 * sizeFor(SHAPES[shape]), of: SHAPES[shape] })).body).toMatchObject({
          status: 'executed',
        })
      })
    expect(ALL.filter((shape) => (longest[shape] ?? 0) > withinReach(quiet))).toEqual([])
  })
})
