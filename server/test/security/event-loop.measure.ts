import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LAUNCHER } from '../built/built.ts'
import { configure, runGate, type RunningGate } from '../helpers/with-running-gate.ts'

/** Texts that make a naive search slow. */
const SHAPES = {
  assignments: 'key=',
  cards: '4111 1111 1111 1111 ',
  base64: 'Z2hwX3E3UnpUMm1LeDlM',
  joiners: 'a\u200d\u0301',
  slashes: '/a',
  passwords: 'password="',
  addresses: 'a@a@a.aa ',
  digits: '1234 ',
  key_blocks: '-----BEGIN PRIVATE KEY-----',
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
  combining: '\u0301',
  paths: '/etc/passwd,',
  own_prefixes: 'sluice_agent_',
  lines: '\n',
  letters: 'a',
} as const
const fill = (unit: string, size: number) => unit.repeat(Math.ceil(size / unit.length)).slice(0, size)
/** Under the limit of a body, which counts bytes and escapes. */
const sizeFor = (unit: string) => Math.floor(1_000_000 / (Buffer.byteLength(JSON.stringify(unit)) / unit.length))
const textOf = (shape: keyof typeof SHAPES) => fill(SHAPES[shape], sizeFor(SHAPES[shape]))

const named = (count: number, name: (at: number) => string, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), value]))
const lines = (every: number) => Array.from({ length: 40_000 }, (_, at) => at % every).join('\n')

/** Arguments of every kind: one long text of each shape, then those that are slow because of their structure. */
const ARGUMENTS: Readonly<Record<string, () => object>> = {
  ...Object.fromEntries(
    (Object.keys(SHAPES) as (keyof typeof SHAPES)[]).map((shape) => [shape, () => ({ text: textOf(shape) })]),
  ),
  fields: () => ({ text: 'x', ...named(4_900, (at) => `field_${at}`, 'x'.repeat(80)) }),
  too_many_fields: () => ({ text: 'x', ...named(50_000, (at) => `f${at}`, 1) }),
  items: () => ({ text: 'x', list: Array.from({ length: 9_000 }, (_, at) => `/etc/${at}`) }),
  too_many_items: () => ({ text: 'x', list: Array.from({ length: 400_000 }, () => 1) }),
  secret_names: () => ({
    text: 'x',
    ...named(4_900, (at) => `ghp_${String(at).padStart(6, '0')}RzT2mKx9Lw4Vb8Nc1Yd6Hf3Js5Gp0A`, 'x'),
  }),
  nested_json: () => ({
    text: 'x',
    path: JSON.stringify({ path: JSON.stringify(Array.from({ length: 5_000 }, (_, at) => `a/${at}`)) }),
  }),
  recipient: () => ({ text: 'x', to: fill('a', 400_000), host: fill('a.', 200_000), amount: fill('1 ', 200_000) }),
  command: () => ({ text: 'x', command: fill('a', 400_000), url: `http://${fill('a-', 400_000)}` }),
  edits: () => ({ text: 'x', path: 'notes.txt', old_text: lines(7), new_text: lines(11) }),
}

/** Commands for a hook, just under the length that is parsed. Some took more than a second: every word may begin another command. */
const COMMANDS: Readonly<Record<string, string>> = {
  words: 'a ',
  pipes: 'a|',
  shells: 'sh|',
  wrappers: 'env ',
  raised: 'sudo ',
  given: 'xargs ',
  found: 'find . -exec ',
  settings: 'git -c color.ui=a ',
  lists: 'ls;',
  targets: '>a ',
  scripts: 'python -c \'"rm a"\' ',
  aliases: "alias a='b c';",
  removals: 'rm ',
  variables: 'a=b ',
  openings: '$(',
}

const ANSWERS =
  'arrays numbers many_fields fields secret_fields items blocks empty_messages broken_messages notices listings'.split(
    ' ',
  )

let gate: RunningGate & { stop(): Promise<void> }
let agent = ''
let admin = ''
let monitor = ''
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-event-loop-'))
  configure(folder)
  const config = JSON.parse(readFileSync(join(folder, 'sluice.yaml'), 'utf8')) as { servers: object }
  const heavy = { command: 'node', args: [resolve(import.meta.dirname, '../tool-servers/costly-answers.ts')] }
  const servers = { ...config.servers, heavy, codex: { client: 'codex' } }
  const traps = { tokens: ['a-honey-token-for-nobody'] }
  const more = { servers, traps, dlp: { outputs: 'all' }, approvals: { pending_bytes_per_caller: 500_000_000 } }
  const policy = { rules: [{ id: 'heavy', effect: 'allow', match: { server: 'heavy' }, says: 'it only answers' }] }
  writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify({ ...config, ...more, policy }))
  gate = await runGate(folder, ['up', '--trust'], LAUNCHER, {
    LOOP_MONITOR: join(folder, 'monitor.txt'),
    NODE_OPTIONS: `--import ${join(import.meta.dirname, 'loop-monitor.ts')}`,
  })
  monitor = `http://127.0.0.1:${readFileSync(join(gate.folder, 'monitor.txt'), 'utf8')}`
  agent = await gate.key('agent', 'a', 'ana')
  admin = await gate.key('admin', 'b', 'bob')
})
afterAll(() => gate.stop())

/** The longest that the gate's main thread worked without a pause during an action, in milliseconds of processor time. */
async function longestDuring(work: () => Promise<unknown>): Promise<number> {
  await fetch(monitor)
  await work()
  return Number(await (await fetch(monitor)).text())
}

/** How long this machine takes now for what takes 50 ms on a quiet one: on a busy one everything takes longer. */
function fiftyMs(): number {
  const text = JSON.stringify(
    Array.from({ length: 50_000 }, (_, at) => ({ id: at, name: `name ${at}`, list: [at, at] })),
  )
  const took = Array.from({ length: 5 }, () => {
    const before = process.threadCpuUsage()
    JSON.parse(text)
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  })
  return Math.max(50, (took.toSorted((a, b) => a - b)[2] ?? 0) * QUIET_RATIO)
}
/** 50 ms, divided by what that text takes on a quiet machine. */
const QUIET_RATIO = 5

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

/** Garbage collection or another process may interfere with a measurement, so those that took longer are measured again. */
const MEASUREMENTS = 5
async function slowOf(
  names: readonly string[],
  work: (name: string) => Promise<unknown>,
): Promise<readonly (readonly [string, number])[]> {
  const slow: [string, number][] = []
  for (const name of names) {
    const most = fiftyMs()
    let longest = Infinity
    for (let times = 0; times < MEASUREMENTS && longest > most; times += 1)
      longest = Math.min(longest, await longestDuring(() => work(name)))
    if (longest > Math.max(most, fiftyMs())) slow.push([name, longest])
  }
  return slow
}

describe('no input blocks the event loop for more than 50 ms', { timeout: 600_000 }, () => {
  test('in arguments, over HTTP and MCP, nor in the packet and the list of pending requests', async () => {
    await call('book__note', { text: fill('the quick brown fox ', 1_000_000) }) // the first one starts the threads
    const slow = await slowOf(Object.keys(ARGUMENTS), async (name) => {
      const args = ARGUMENTS[name]?.() ?? {}
      const held = await call('book__note', args)
      expect(held.status).toBeLessThan(500)
      expect(await mcp('book__note', args)).toContain('"jsonrpc"')
      expect((await gate.http('GET', '/v1/approvals?state=pending&limit=5', admin)).status).toBe(200)
      const id = held.body['approval_id'] as string | undefined
      if (id === undefined) return
      expect((await gate.http('POST', `/v1/approvals/${id}/reveal`, admin)).status).toBe(200)
      await gate.http('POST', `/v1/approvals/${id}/decide`, admin, { decision: 'deny' })
    })
    expect(slow).toEqual([])
  })

  test('in commands that a hook asks about', async () => {
    const slow = await slowOf(Object.keys(COMMANDS), async (name) => {
      const args = { command: fill(COMMANDS[name] ?? '', 32_700) }
      const use = { client: 'codex', tool: 'Bash', args, thread: `codex:${(calls += 1)}` }
      expect((await gate.http('POST', '/v1/judgements', agent, use)).status).toBe(200)
    })
    expect(slow).toEqual([])
  })

  test('in answers and other messages of a tool server', async () => {
    const slow = await slowOf(ANSWERS, async (name) => {
      // 502: more values than are read.
      expect([200, 502]).toContain((await call(`heavy__${name}`, {})).status)
    })
    expect(slow).toEqual([])
  })

  test('in the texts of answers', async () => {
    const shapes = Object.keys(SHAPES) as (keyof typeof SHAPES)[]
    const slow = await slowOf(shapes, async (name) => {
      const of = SHAPES[name as keyof typeof SHAPES]
      expect((await call('book__big', { size: 2 * sizeFor(of), of })).status).toBeLessThan(500)
    })
    expect(slow).toEqual([])
  })
})
