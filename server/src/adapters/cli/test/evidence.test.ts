import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run, startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'

type Gate = RunningGate & { stop(): Promise<void> }
/** What a door reports about a read-back: the status, and the whole answer. */
type Seen = { verified: unknown; text: string }

let gate: Gate
let agent = ''
beforeAll(async () => {
  gate = await startGate()
  agent = await gate.key('agent', 'a', 'ana')
})
afterAll(() => gate.stop())

const call = (args: object) => ({ name: 'book__keep_note', arguments: args })

async function overHttp(args: object): Promise<Seen> {
  const { body } = await gate.http('POST', '/v1/calls', agent, { tool: 'book__keep_note', args })
  return { verified: body['verified'], text: JSON.stringify(body) }
}

async function overCli(args: object): Promise<Seen> {
  const { err } = await gate.cli('--key', agent, 'call', 'book__keep_note', JSON.stringify(args))
  const word = /^verified: (\w+)/m.exec(err)?.[1]
  return { verified: { yes: true, no: false }[word ?? ''] ?? word, text: err }
}

function seenInMcp(result: Record<string, unknown> | undefined): Seen {
  const meta = result?.['_meta'] as { 'sluice/evidence'?: { verified: unknown } } | undefined
  return { verified: meta?.['sluice/evidence']?.verified, text: JSON.stringify(result) }
}

async function overMcp(args: object): Promise<Seen> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call(args) }
  const { body } = await gate.http('POST', '/mcp', agent, message)
  return seenInMcp(body['result'] as Record<string, unknown>)
}

async function overStdio(args: object): Promise<Seen> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call(args) }
  const { out } = await run(gate.folder, ['mcp', '--agent', 'stdio'], `${JSON.stringify(message)}\n`)
  return seenInMcp((JSON.parse(out) as { result?: Record<string, unknown> }).result)
}

describe.each([
  { door: 'HTTP', sendRaw: overHttp },
  { door: 'the command line', sendRaw: overCli },
  { door: 'MCP over HTTP', sendRaw: overMcp },
  { door: 'MCP over stdio', sendRaw: overStdio },
])('at $door', ({ door, sendRaw }) => {
  test('a confirmed call is reported as verified', async () => {
    expect(await sendRaw({ title: door, text: 'hello' })).toMatchObject({ verified: true })
  })

  test('a contradicted call is reported as not verified, with the expectation', async () => {
    const seen = await sendRaw({ title: `${door} lost`, text: 'lost' })
    expect(seen.verified).toBe(false)
    expect(seen.text).toMatch(/book__find_note: not true: `found` equals true/)
  })

  test('a call that could not be read back is reported as unknown', async () => {
    const seen = await sendRaw({ title: `${door} untitled`, text: 'untitled' })
    expect(seen.verified).toBe('unknown')
    expect(seen.text).toContain("there is no usable value for the result's `title`")
  })

  test('a call that its check stops has that code', async () => {
    const title = `${door} twice`
    await sendRaw({ title, text: 'hello' })
    const stopped = await sendRaw({ title, text: 'again' })
    expect(stopped.verified).toBeUndefined()
    expect(stopped.text).toContain('call.check_failed')
    const lines = readFileSync(join(gate.folder, 'effects.txt'), 'utf8').split('\n')
    expect(lines.filter((line) => line.includes(title))).toHaveLength(1)
  })
})

describe('the list of tools', () => {
  test('says for each how it is executed and what is missing', async () => {
    const { body } = await gate.http('GET', '/v1/tools', agent)
    const items = body['items'] as Record<string, unknown>[]
    const named = (id: string) => items.find(({ tool_id }) => tool_id === id)
    expect(named('book__keep_note')).toMatchObject({
      title: 'Keep a note',
      tags: ['paper'],
      rollback: "to undo it, call book__erase_note with `title` = the result's `title`",
      check: 'before it runs, Sluice checks with book__find_note that `found` equals false; no dry run',
      missing: ['no dry run'],
    })
    expect(named('book__note')).toMatchObject({
      check: 'has a dry run',
      verify: 'result not verified',
      missing: ['no known way to undo it', 'result not verified'],
    })
  })

  test('shows the operator`s title over MCP', async () => {
    const { body } = await gate.http('POST', '/mcp', agent, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const { tools } = body['result'] as { tools: { name: string; title?: string }[] }
    expect(tools.find(({ name }) => name === 'book__keep_note')).toMatchObject({ title: 'Keep a note' })
  })
})

describe('the card of a tool', () => {
  test('says how it is executed, and which parts it lacks, over HTTP and at the command line', async () => {
    const { status, body } = await gate.http('GET', '/v1/tools/book__keep_note', agent)
    expect(status).toBe(200)
    expect(body).toMatchObject({ skill_id: 'book__keep_note', example: { text: expect.any(String) as string } })
    expect(String(body['verify'])).toMatch(/^afterwards Sluice checks with book__/)
    const shown = await gate.cli('card', 'book__keep_note')
    expect(shown).toMatchObject({ code: 0 })
    expect(shown.out).toContain(String(body['verify']))
    const { body: bare } = await gate.http('GET', '/v1/tools/book__fails', agent)
    expect(bare).toMatchObject({
      rollback: 'no known way to undo it',
      missing: ['no known way to undo it', 'no dry run', 'result not verified'],
    })
    expect(await gate.http('GET', '/v1/tools/book__nothing', agent)).toMatchObject({
      status: 404,
      body: { code: 'tool.unknown' },
    })
  })

  test('of a declared read, and why a call to it ran, are printed with a line about how it is recorded', async () => {
    const { body } = await gate.http('GET', '/v1/tools/book__look', agent)
    expect(body['declared_read']).toMatch(/only reads/)
    const { body: made } = await gate.http('POST', '/v1/calls', agent, { tool: 'book__look', args: {} })
    for (const words of [
      ['card', 'book__look'],
      ['why', String(made['call_id'])],
    ])
      expect((await gate.cli(...words)).out.split('\n').map((line) => line.trim())).toContain(body['declared_read'])
    expect((await gate.cli('card', 'book__keep_note')).out).not.toContain('declared that')
  })
})
