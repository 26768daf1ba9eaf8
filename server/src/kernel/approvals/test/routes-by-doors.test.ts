import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { effectsIn, typedFor, until } from '../../../../test/helpers/with-gate.ts'
import { configure, runGate, startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'

const APPROVALS = {
  groups: { editors: ['ada', 'bob', 'cy'], 'on-call': ['dan'] },
  routes: [
    {
      id: 'notes',
      match: { tool: 'book__note' },
      group: 'editors',
      people: 2,
      escalation: { after: '2s', to: 'on-call' },
    },
    { id: 'slow', match: { tool: 'book__slow_note' }, group: 'editors', people: 2 },
  ],
}

let gate: RunningGate & { stop(): Promise<void> }
const keys: Record<string, string> = {}
beforeAll(async () => {
  gate = await startGate((folder) => {
    configure(folder)
    const file = join(folder, 'sluice.yaml')
    const config = JSON.parse(readFileSync(file, 'utf8')) as object
    writeFileSync(file, JSON.stringify({ ...config, approvals: APPROVALS }))
  })
  const root = await gate.key('admin', 'root')
  const made = async (kind: string, name: string, user: string) =>
    String((await gate.http('POST', '/v1/keys', root, { kind, name, user })).body['key'])
  for (const user of ['ada', 'bob', 'dan', 'eve']) keys[user] = await made('approver', user, user)
  keys['ada-2'] = await made('admin', 'ada-too', 'ada')
  keys['agent'] = await made('agent', 'bot', 'ana')
})
afterAll(() => gate.stop())

const keyOf = (user: string) => keys[user] ?? ''
const hold = async (tool: string, text: string) => {
  const held = await gate.http('POST', '/v1/calls', keyOf('agent'), { tool, args: { text }, thread: 't1' })
  return String(held.body['approval_id'])
}
const decide = async (user: string, id: string) => {
  const packet = (await gate.http('GET', `/v1/approvals/${id}`, keyOf('ada'))).body
  const typed = typedFor(packet as Parameters<typeof typedFor>[0])
  const body = { decision: 'approve', digest: packet['digest'], typed }
  const { status, body: said } = await gate.http('POST', `/v1/approvals/${id}/decide`, keyOf(user), body)
  return [status, said['code'] ?? said['state']]
}

test('over HTTP: outsiders, the same person with two keys, agents and tokens do not make two of a group', async () => {
  const id = await hold('book__slow_note', 'http')
  expect(await decide('eve', id)).toEqual([404, 'approval.unknown'])
  expect(await decide('agent', id)).toEqual([403, 'auth.forbidden'])
  expect(await decide('ada', id)).toEqual([200, 'pending'])
  expect(await decide('ada-2', id)).toEqual([409, 'approval.already_decided_by_you'])
  const token = await gate.http('POST', `/v1/approvals/${id}/token`, keyOf('bob'))
  expect(token.body['code']).toBe('approval.token_too_weak')
  expect(effectsIn(gate.folder)).toEqual([])
  expect(await decide('bob', id)).toEqual([200, 'approved'])
})

test('on the command line: who is asked, how many are missing, delegation, and the folder`s owner cannot decide', async () => {
  const id = await hold('book__slow_note', 'cli')
  const shown = await gate.cli('approvals', 'show', id)
  expect(shown.out).toContain('asked: 2 of editors (ada, bob, cy); 0 so far, 2 more people must approve')
  expect((await gate.cli('--json', 'approve', id)).out).toContain('approval.not_asked')
  const as = (user: string, ...words: string[]) => gate.cli('--url', gate.url, '--key', keyOf(user), ...words)
  expect((await as('ada', 'approve', id, '--typed', 'book__slow_note')).out).toContain(
    'has 1 of 2 approvals; one more person must approve',
  )
  expect((await as('bob', 'delegate', 'dan', '--for', '8h', '--reason', 'on leave')).out).toContain(
    'dan may decide for bob until',
  )
  expect(await decide('dan', id)).toEqual([200, 'approved'])
  const packet = (await gate.http('GET', `/v1/approvals/${id}`, keyOf('ada'))).body
  expect(packet['decisions']).toMatchObject([{ user: 'ada' }, { user: 'dan', for: 'bob' }])
  const [line = ''] = (await as('ada', 'delegations')).out.split('\n')
  expect(line).toMatch(/^run_\w+ {2}dan may decide for bob until .*: on leave$/)
  expect((await as('bob', 'delegations', 'end', line.split(' ')[0] ?? '')).code).toBe(0)
  expect((await gate.cli('routes')).out).toContain('asks 2 of the group editors, simple; after 2s also on-call')
})

test('policy cases can expect who is asked', async () => {
  const caseOf = (verdict: object) =>
    JSON.stringify([
      {
        name: 'notes',
        tool: { id: 'book__note', effects: ['write'], risk: 'medium' },
        call: { args: { text: 'x' } },
        verdict,
      },
    ])
  const failed = async (verdict: object) => {
    const cases = [{ file: 'cases.yaml', text: caseOf(verdict) }]
    return (await gate.http('POST', '/v1/policies/test', keyOf('ada'), { cases })).body['failed']
  }
  expect(await failed({ effect: 'ask', route: 'notes', group: 'editors', people: 2 })).toBe(0)
  expect(await failed({ effect: 'ask', route: 'notes', people: 1 })).toBe(1)
  expect(await failed({ effect: 'ask', route: null })).toBe(1)
})

test('a gate that is killed while a request waits escalates it after its restart', async () => {
  const id = await hold('book__note', 'killed')
  expect(await decide('ada', id)).toEqual([200, 'pending'])
  gate.process.kill('SIGKILL')
  await new Promise((done) => gate.process.once('exit', done))
  gate = await runGate(gate.folder)
  await until(async () => (await gate.http('GET', `/v1/approvals/${id}`, keyOf('dan'))).status === 200)
  expect(await decide('dan', id)).toEqual([200, 'approved'])
  await until(() => effectsIn(gate.folder).includes('note {"text":"killed"}'))
})
