import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { gateOf } from '../helpers/use-gate.ts'
import { openGate, type OpenedGate } from '../../src/main/open-gate.ts'
import type { Settings } from '../../src/main/load-config.ts'
import { readConfig } from '../read-config.ts'
import { ADMIN, AGENT, APPROVER, pendingOf, approveShown } from '../helpers/with-gate.ts'

/** The example in the README of a guest. */
const example = (guest: string) => {
  const page = readFileSync(resolve(import.meta.dirname, `../../src/guests/${guest}/README.md`), 'utf8')
  const text = /```yaml\n([^`]*)```/.exec(page)?.[1] ?? ''
  return (parse(text) as { servers: Record<string, Record<string, unknown>> }).servers
}

const NOTES = {
  openapi: '3.1.0',
  info: { title: 'notes', version: '1' },
  components: {
    schemas: {
      Note: { type: 'object', required: ['text'], properties: { under: { $ref: '#/components/schemas/Note' } } },
    },
  },
  paths: {
    '/notes': {
      get: { operationId: 'listNotes', summary: 'List all notes' },
      post: {
        operationId: 'addNote',
        summary: 'Add a note',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Note' } } },
        },
      },
    },
    '/notes/{id}': {
      delete: { operationId: 'getRidOf', parameters: [{ name: 'id', in: 'path', required: true }] },
    },
    '/hooks': { post: { operationId: 'addWebhook' } },
  },
}

let folder = ''
let notes: string[] = []
let tokens: (string | undefined)[] = []
let http: Server
let opened: OpenedGate

/** The two examples of the page in one gate; only the address differs. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-wrappers-'))
  http = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      tokens.push(request.headers.authorization)
      if (request.method === 'POST') notes.push(body)
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ notes }))
    })
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  writeFileSync(join(folder, 'notes.yaml'), JSON.stringify(NOTES))
  mkdirSync(join(folder, 'papers'))
  writeFileSync(join(folder, 'papers/a.txt'), 'Water runs\nthrough a gate\n')
  process.env['NOTES_TOKEN'] = 'the-token-of-notes'
  const base_url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`
  const servers = { ...example('openapi'), ...example('commands') }
  servers['notes'] = { ...servers['notes'], base_url }
  const config = readConfig({ listen: { port: 0 }, servers })
  if (!config.ok) throw new Error(JSON.stringify(config.problem))
  const settings: Settings = {
    file: join(folder, 'sluice.yaml'),
    folder,
    data: join(folder, 'data'),
    config: config.value,
    policy: { text: 'preset: careful', file: 'policy.yaml' },
  }
  const gate = await openGate(settings, { log: () => {}, url: () => 'http://gate.test' })
  if (!gate.ok) throw new Error(JSON.stringify(gate.problem))
  opened = gate.value
  await opened.settled
})

afterAll(async () => {
  await opened.close()
  http.close()
  http.closeAllConnections()
  delete process.env['NOTES_TOKEN']
  rmSync(folder, { recursive: true, force: true })
})

const call = (tool: string, args: Record<string, string | boolean | object> = {}) =>
  gateOf(opened).calls.dispatch({ caller: AGENT, tool, args: args as never, thread: 't1' })

describe('the examples of the page about OpenAPI files and commands', () => {
  test('offer what the file and the configuration declare', () =>
    expect(
      gateOf(opened)
        .catalogue.tools(ADMIN)
        .map(({ row, risk }) => `${row.tool_id} ${risk}`)
        .sort(),
    ).toEqual([
      'desk__count_words low',
      'desk__find_text low',
      'notes__addNote medium',
      // Its name sounds like a read, but its HTTP method is not one.
      'notes__getRidOf high',
      'notes__listNotes low',
    ]))

  test('a read of an interface runs, a write waits for a person and is then sent once, with the credential', async () => {
    expect(await call('notes__listNotes')).toMatchObject({
      status: 'executed',
      result: { structuredContent: { notes: [] } },
    })
    const held = pendingOf(await call('notes__addNote', { body: { text: 'hi' } }))
    expect(notes).toEqual([])
    await approveShown(gateOf(opened), APPROVER, held.approval_id)
    const done = await gateOf(opened).calls.read(ADMIN, held.call_id, 60_000)
    expect(done).toMatchObject({ ok: true, value: { status: 'executed' } })
    expect(notes).toEqual(['{"text":"hi"}'])
    expect(new Set(tokens)).toEqual(new Set(['Bearer the-token-of-notes']))
  })

  test('arguments are checked against the file before anybody is asked, however deep', async () =>
    expect(await call('notes__addNote', { body: { text: 'a', under: { text: 'b', under: {} } } })).toMatchObject({
      status: 'refused',
      problem: { code: 'call.args_invalid' },
    }))

  test('a command runs with its arguments, and an empty result is not an error', async () => {
    const found = await call('desk__find_text', { text: 'WATER', ignore_case: true })
    expect(found).toMatchObject({ status: 'executed', result: { content: [{ text: './a.txt:1:Water runs\n' }] } })
    expect(await call('desk__find_text', { text: 'WATER' })).toMatchObject({
      status: 'executed',
      result: { content: [{ text: '' }] },
    })
    expect(await call('desk__find_text', { text: '--help' })).toMatchObject({ result: { content: [{ text: '' }] } })
    const counted = await call('desk__count_words', { text: 'one two; rm -rf three' })
    expect(counted).toMatchObject({ status: 'executed', result: { content: [{ text: '5\n' }] } })
  })
})
