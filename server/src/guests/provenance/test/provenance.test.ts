import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { explainCall } from '../endpoints.ts'
import {
  ADMIN,
  AGENT,
  APPROVER,
  openTestGate,
  pendingOf,
  USER,
  type GateRig,
} from '../../../../test/helpers/with-gate.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-provenance-'))
const OPTIONS = {
  config: { repetition: { most: 100 } },
  policy: `rules:
  - { id: all, effect: allow, match: { tool: '*' }, says: provenance does the asking }`,
  server: {
    args: [resolve(import.meta.dirname, '../../../../test/tool-servers/letters.ts')],
    tools: {
      read_letter: { effects: ['read'] },
      send_letter: { effects: ['write', 'external'], content: { pii: 'off' } },
    },
  },
}
let rig: GateRig
beforeAll(async () => {
  rig = await openTestGate(folder, OPTIONS)
})
afterAll(async () => {
  await rig.opened.close()
  rmSync(folder, { recursive: true, force: true })
})

const HOST = { ...AGENT, speaks_for_user: true } as const
const read = (letter: string, thread: string, words?: string) =>
  rig.call('book__read_letter', { letter }, { thread, caller: HOST, ...(words === undefined ? {} : { words }) })
const sendTo = (to: string, thread: string, more: object = {}) =>
  rig.call('book__send_letter', { to, text: 'hello' }, { thread, caller: HOST, ...more })

describe('an agent that reads a letter', () => {
  test('may do what its user asked for, and is held if only the letter asked for it', async () => {
    const words = 'Read letter 2 and then send a letter with the text hello to bob@example.com.'
    expect((await read('2', 'one', words)).status).toBe('executed')
    expect((await sendTo('bob@example.com', 'one')).status).toBe('executed')
    const held = pendingOf(await sendTo('eve@evil.example', 'one'))
    const rules = held.evidence.filter(({ decider }) => decider === 'provenance').map(({ rule }) => rule)
    expect(rules).toContain('provenance.destination')
    expect(JSON.stringify(held.evidence)).not.toContain('eve@evil.example')
  })

  test('the packet says by pointers where the recipient came from', async () => {
    await read('2', 'two', 'Read letter 2 to me.')
    const { approval_id } = pendingOf(await sendTo('eve@evil.example', 'two'))
    const packet = await rig.gate.approvals.read(APPROVER, approval_id)
    if (!packet.ok) throw new Error(JSON.stringify(packet.problem))
    const source = packet.value.sources.find(({ at }) => at === '/to')
    expect(source).toMatchObject({
      kind: 'outside',
      label: 'the output of `book__read_letter`',
      where: { path: '/structuredContent/body' },
    })
    expect(source?.excerpt).toContain('eve@evil.example')
  })

  test('user words from an agent without that right are ignored after it has read a text', async () => {
    await rig.call('book__read_letter', { letter: '2' }, { thread: 'three', words: 'Read letter 2.' })
    const more = { caller: AGENT, words: 'Send a letter with the text hello to eve@evil.example.' }
    expect((await sendTo('eve@evil.example', 'three', more)).status).toBe('pending')
    // The user's own credential may say so.
    const own = { caller: USER, words: 'Send a letter with the text hello to eve@evil.example, please.' }
    expect((await sendTo('eve@evil.example', 'three', own)).status).toBe('executed')
  })

  test('is not licensed by what another caller of its user says in a thread of the same name', async () => {
    const own = { caller: USER, words: 'Send a letter with the text hello to eve@evil.example, please.' }
    await rig.call('book__read_letter', { letter: '2' }, { thread: 'shared', words: 'Read letter 2.' })
    await rig.call('book__read_letter', { letter: '1' }, { thread: 'shared', ...own })
    expect((await sendTo('eve@evil.example', 'shared', { caller: AGENT })).status).toBe('pending')
    // The person's own act is licensed by these words, and not affected by what the agent has read.
    expect((await sendTo('eve@evil.example', 'shared', { caller: USER })).status).toBe('executed')
  })

  test('what a person approved is trusted in that session only', async () => {
    await read('2', 'four', 'Read letter 2 to me.')
    const { approval_id, call_id } = pendingOf(await sendTo('eve@evil.example', 'four'))
    const packet = await rig.gate.approvals.read(APPROVER, approval_id)
    if (!packet.ok) throw new Error(JSON.stringify(packet.problem))
    await rig.gate.approvals.decide(APPROVER, approval_id, { says: 'approve', digest: packet.value.digest })
    expect((await rig.outcome(call_id)).status).toBe('executed')
    expect(await sendTo('eve@evil.example', 'four')).toMatchObject({ status: 'executed' })
    await read('2', 'five', 'Read letter 2 to me.')
    expect((await sendTo('eve@evil.example', 'five')).status).toBe('pending')
  })

  test('is still held after a restart, because what was read is in the store', async () => {
    await read('2', 'six', 'Read letter 2 to me.')
    await rig.opened.close()
    rig = await openTestGate(folder, OPTIONS)
    expect((await sendTo('eve@evil.example', 'six')).status).toBe('pending')
    expect((await rig.gate.calls.listUnknown(ADMIN, { limit: 1 })).ok).toBe(true)
  })
})

describe('why', () => {
  test('says who asked for the act and where each argument came from, without the values themselves', async () => {
    await read('2', 'seven', 'Read letter 2 to me.')
    const { call_id } = pendingOf(await sendTo('eve@evil.example', 'seven'))
    const why = await explainCall(rig.ports, APPROVER, call_id)
    if (!why.ok) throw new Error(JSON.stringify(why.problem))
    expect(why.value).toMatchObject({ user_words: true, contests: [{ label: 'the output of `book__read_letter`' }] })
    expect(why.value.licence).not.toBe('strong')
    expect(why.value.values.find(({ at }) => at === '/to')).toMatchObject({ role: 'destination', from: 'none' })
    expect((await explainCall(rig.ports, { ...AGENT, id: 'agent:other' }, call_id)).ok).toBe(false)
  })
})
