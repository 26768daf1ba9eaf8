import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openGate, type OpenedGate } from '../../../main/open-gate.ts'
import { gateOf, type Gate } from '../../../../test/helpers/use-gate.ts'
import type { Caller } from '../../contract/caller.ts'
import { readConfig } from '../../../../test/read-config.ts'
import type { Config } from '../../contract/config.ts'
import { ok } from '../../contract/problems.ts'
import { ADMIN, until } from '../../../../test/helpers/with-gate.ts'

// What the gate keeps between calls was made from the policy, the tool, its settings, the pauses and the caller's key. When one of
// them changes, the next call is judged by the new one.

const ALLOW = 'rules: [{ id: all, effect: allow, match: { role: agent }, says: all }]'
const BY_TAG = `rules:
  - { id: all, effect: allow, match: { role: agent }, says: all }
  - { id: tagged, effect: block, match: { tag: closed }, says: closed }`

let text = ALLOW
let act: object = { effects: ['write'] }
let box: object = {}
let folder = ''
let opened: OpenedGate
let gate: Gate
let caller: Caller
let key_id = ''

const serversNow = (): Config['servers'] => {
  const tools = { act, is_ready: { effects: ['read'] }, change: { effects: ['read'] } }
  const args = [resolve(import.meta.dirname, '../../../../test/tool-servers/waiting.ts')]
  const env = { EFFECTS: join(folder, 'effects.txt') }
  const read = readConfig({ servers: { slow: { command: process.execPath, args, env, tools, ...box } } })
  if (!read.ok) throw new Error(JSON.stringify(read.problem))
  return read.value.servers
}

async function newKey(more: { readonly calls?: number; readonly tools?: readonly string[] } = {}): Promise<void> {
  const created = await gate.identity.createCredential(ADMIN, { kind: 'agent', name: 'a', user: 'ana', ...more })
  if (!created.ok) throw new Error(created.problem.code)
  const known = await gate.identity.authenticate(created.value.key)
  if (!known.ok) throw new Error(known.problem.code)
  caller = known.value
  key_id = created.value.row.key_id
}

let number = 0
/** Never the same arguments, so that no call is taken for a repetition. */
const call = (tool = 'slow__act') =>
  gate.calls.dispatch({ caller, tool, args: { text: `note ${(number += 1)}` }, thread: 't1' })

/** So often that whatever is kept for this tool and caller is kept. */
async function warm(): Promise<void> {
  for (let times = 0; times < 3; times += 1) expect(await call()).toMatchObject({ status: 'executed' })
}

const rulesOf = (outcome: Awaited<ReturnType<typeof call>>) =>
  'evidence' in outcome ? outcome.evidence.map(({ rule }) => rule) : []

async function reload(): Promise<void> {
  expect(await gate.policies.reload(ADMIN)).toMatchObject({ ok: true })
}

const setPause = async (scope: Parameters<Gate['pauses']['set']>[1]['scope'], active: boolean) =>
  expect(await gate.pauses.set(ADMIN, { scope, effect: 'block', active, reason: 'stop' })).toMatchObject({ ok: true })

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-changed-'))
  const read = readConfig({ listen: { port: 0 } })
  if (!read.ok) throw new Error(read.problem.code)
  const config: Config = { ...read.value, servers: serversNow() }
  const policy = { text, file: 'policy.yaml' }
  const settings = { file: join(folder, 'sluice.yaml'), folder, data: join(folder, 'data'), config, policy }
  const made = await openGate(settings, {
    log: () => {},
    url: () => 'http://gate.test',
    policy: { read: () => ({ ok: true, value: { text, file: 'policy.yaml' } }), watch: () => () => {} },
    readServers: () => ok(serversNow()),
  })
  if (!made.ok) throw new Error(JSON.stringify(made.problem))
  opened = made.value
  await opened.settled
  gate = gateOf(opened)
})
afterAll(async () => {
  await opened.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  text = ALLOW
  act = { effects: ['write'] }
  box = {}
  await reload()
  await newKey()
  await warm()
})

describe('the next call is judged by', () => {
  test('another policy, and by the first one again when it is back', async () => {
    text = 'rules: [{ id: none, effect: block, match: { role: agent }, says: none }]'
    await reload()
    const blocked = await call()
    expect(blocked).toMatchObject({ status: 'refused' })
    expect(rulesOf(blocked)).toContain('none')
    text = ALLOW
    await reload()
    await warm()
  })

  test.each(['all', 'caller:agent:a', 'caller:agent:a user:ana', 'tool:slow__act', 'server:slow'] as const)(
    'a pause of `%s`, until it is lifted',
    async (scope) => {
      await setPause(scope, true)
      const paused = await call()
      expect(paused).toMatchObject({ status: 'refused' })
      expect(rulesOf(paused)).toContain(`pause.${scope}`)
      await setPause(scope, false)
      await warm()
    },
  )

  test('a revoked key', async () => {
    expect(await gate.identity.revokeCredential(ADMIN, key_id)).toMatchObject({ ok: true })
    expect(rulesOf(await call())).toContain('credential.revoked')
    // The same caller with another key is not affected.
    await newKey()
    await warm()
  })

  test('the calls that its key has left, and the tools that it grants', async () => {
    await newKey({ calls: 4, tools: ['slow__act'] })
    await warm()
    expect(await call('slow__is_ready')).toMatchObject({ status: 'refused', problem: { code: 'tool.unknown' } })
    expect(await call()).toMatchObject({ status: 'executed' })
    expect(await call()).toMatchObject({ status: 'refused', problem: { code: 'key.exhausted' } })
  })

  test('other tags and effects in the configuration', async () => {
    text = BY_TAG
    await reload()
    await warm()
    act = { effects: ['write'], tags: ['closed'] }
    await reload()
    expect(rulesOf(await call())).toContain('tagged')
    act = { effects: ['write'] }
    await reload()
    await warm()
    text = 'preset: careful'
    await reload()
    expect(rulesOf(await call())).toContain('careful.medium')
    act = { effects: ['read'] }
    await reload()
    await warm()
  })

  test('a sandbox that its server gets', async () => {
    text = `rules:
  - { id: all, effect: allow, match: { role: agent }, says: all }
  - { id: boxed, effect: block, match: {}, when: tool.sandboxed, says: boxed }`
    await reload()
    await warm()
    box = { sandbox: { roots: [folder] } }
    await reload()
    expect(rulesOf(await call())).toContain('boxed')
    box = {}
    await reload()
    await warm()
  })

  test('a changed definition, and by the admission of it', async () => {
    const row = () => gate.catalogue.tools(ADMIN).find((tool) => tool.row.tool_id === 'slow__act')?.row
    const before = row()?.definition_hash
    expect(await call('slow__change')).toMatchObject({ status: 'executed' })
    await until(() => row()?.definition_hash !== before)
    const held = await call()
    expect(held).toMatchObject({ status: 'pending' })
    expect(rulesOf(held)).toContain('definition.changed')
    const definition_hash = row()?.definition_hash ?? ''
    const admitted = await gate.catalogue.admit(ADMIN, 'slow__act', definition_hash)
    expect(admitted).toMatchObject({ ok: true })
    await warm()
  })
})
