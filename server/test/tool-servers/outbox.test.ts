import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { demoGate } from '../../src/guests/demo/demo.ts'
import { registerTools } from '../../src/kernel/catalogue/register-tools.ts'
import { readConfig } from '../read-config.ts'
import { serverConfigs } from '../../src/adapters/upstream/server-config.ts'
import { withLedger } from './with-ledger.ts'
import { withToolServers, type Rig } from './with-tool-servers.ts'
import { SERVER_KINDS } from '../../src/main/server-kinds.ts'

const script = resolve(import.meta.dirname, '../../src/guests/demo/servers/outbox.ts')

function demoConfig(folder = mkdtempSync(join(tmpdir(), 'sluice-demo-'))) {
  demoGate.write(folder)
  const file = join(folder, 'sluice.yaml')
  const config = readConfig(parse(readFileSync(file, 'utf8')))
  if (!config.ok) throw new Error(JSON.stringify(config.problem))
  const { outbox } = config.value.servers
  if (outbox === undefined) throw new Error('the demo has an outbox')
  return { folder, servers: { outbox } }
}

/** The demo's own server, as its configuration starts it, in a folder of its own. */
async function withOutbox(use: (rig: Rig, lines: () => unknown[]) => Promise<void>): Promise<void> {
  const { folder, servers } = demoConfig()
  const configs = serverConfigs(SERVER_KINDS, servers, folder)
  if (!configs.ok) throw new Error(JSON.stringify(configs.problem))
  const file = join(folder, 'outbox/outbox.jsonl')
  const lines = () =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown)
      : []
  await withToolServers(configs.value, {}, (rig) => use(rig, lines))
}

const draft = { to: 'ann@example.org', subject: 'Hello', body: 'How are you?' }
const send = (rig: Rig, key: string, args: object = draft) =>
  rig.servers.call({
    server: 'outbox',
    tool: 'send_message',
    canonical_args: JSON.stringify(args),
    idempotency_key: key,
    trace: 't',
  })

describe('the demo', () => {
  test('its paths are found from the config file`s folder', () => {
    const { folder, servers } = demoConfig()
    expect(serverConfigs(SERVER_KINDS, servers, folder)).toMatchObject({
      value: [{ command: process.execPath, args: [script, join(folder, 'outbox')] }],
    })
  })

  test('every tool of the server is in the configuration, with the effects the operator gave it', () =>
    withOutbox(async (rig) => {
      expect(await rig.servers.ready('outbox')).toMatchObject({ ok: true })
      await withLedger(demoConfig().servers, async ({ deps, catalogue }) => {
        await registerTools(deps, 'outbox', rig.listings[0]?.definitions ?? [])
        expect(catalogue.tools().map(({ row, risk, effects_from }) => [row.tool_id, risk, effects_from])).toEqual([
          ['outbox__list_messages', 'low', 'configured'],
          ['outbox__read_message', 'low', 'configured'],
          ['outbox__send_message', 'high', 'configured'],
          ['outbox__delete_message', 'high', 'configured'],
        ])
        expect(catalogue.tools().every(({ row }) => row.definition.outputSchema !== undefined)).toBe(true)
      })
    }))

  test('a message is sent, listed, read and deleted', () =>
    withOutbox(async (rig, lines) => {
      const sent = await send(rig, 'k1')
      const id = sent.is === 'answered' ? (sent.result.structuredContent as { id: string }).id : JSON.stringify(sent)
      expect(lines()).toMatchObject([{ sent: { id, ...draft }, key: 'k1' }])
      expect(await rig.text('outbox', 'read_message', { id })).toBe(draft.body)
      expect(await rig.call('outbox', 'list_messages')).toMatchObject({
        result: { structuredContent: { messages: [{ id, to: draft.to }] } },
      })
      expect(await rig.text('outbox', 'list_messages')).toBe('1 message')
      expect(await rig.text('outbox', 'delete_message', { id })).toBe(`deleted ${id}`)
      expect(await rig.call('outbox', 'read_message', { id })).toMatchObject({ result: { isError: true } })
      expect(await rig.text('outbox', 'list_messages')).toBe('0 messages')
    }))

  test('a dry run shows what would be sent and changes nothing', () =>
    withOutbox(async (rig, lines) => {
      expect(await send(rig, 'k1', { ...draft, dry_run: true })).toMatchObject({
        is: 'answered',
        result: { structuredContent: { status: 'preview', ...draft } },
      })
      expect(lines()).toEqual([])
    }))

  test('the same idempotency key sends once, another key sends again', () =>
    withOutbox(async (rig, lines) => {
      const [first, again, other] = [await send(rig, 'k1'), await send(rig, 'k1'), await send(rig, 'k2')]
      expect(again).toEqual(first)
      expect(other).not.toEqual(first)
      expect(lines()).toHaveLength(2)
    }))
})
