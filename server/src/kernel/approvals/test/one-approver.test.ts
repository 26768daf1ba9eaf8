import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { effectsIn } from '../../../../test/helpers/with-gate.ts'
import { configure, startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'

/** Only the owner of the data folder decides here. `book__note_again` is critical by its tag. */
let gate: RunningGate & { stop(): Promise<void> }
beforeAll(async () => {
  gate = await startGate((folder) => {
    configure(folder)
    const file = join(folder, 'sluice.yaml')
    const config = JSON.parse(readFileSync(file, 'utf8')) as Config
    config.servers.book.tools['note_again'] = { effects: ['write'], tags: ['production'] }
    config.policy.rules.push({
      id: 'both',
      effect: 'ask',
      strength: 'two_person',
      match: { tool: 'book__echo' },
      says: 'two people look at echoes',
    })
    writeFileSync(file, JSON.stringify({ ...config, approvals: { tokens: 'strong' } }))
    writeFileSync(join(folder, 'passphrase'), 'correct horse battery')
  })
})
afterAll(() => gate.stop())

type Config = { policy: { rules: object[] }; servers: { book: { tools: Record<string, object> } } }
type Held = { approval_id: string; call_id: string; evidence: { strength?: string; proof?: string }[] }
const call = async (): Promise<Held> =>
  JSON.parse((await gate.cli('--json', 'call', 'book__note_again', '{"text":"x"}')).out) as Held

test('a critical call asks the one person for a passphrase, whatever the configuration says, and runs with it', async () => {
  const held = await call()
  expect(held.evidence).toContainEqual(expect.objectContaining({ strength: 'strong', proof: 'passphrase' }))
  const bare = await gate.cli('--json', 'approve', held.approval_id, '--typed', 'book__note_again')
  expect(bare.out).toContain('approval.passphrase_unset')
  expect(effectsIn(gate.folder)).toHaveLength(0)
  // Tokens count as strong here, but do not replace a passphrase.
  expect((await gate.cli('--json', 'token', held.approval_id)).out).toContain('approval.token_too_weak')
  const set = await gate.cli('passphrase', 'set', '--passphrase-file', 'passphrase')
  expect(set.code).toBe(0)
  const remembered = await gate.cli(
    '--json',
    'approve',
    held.approval_id,
    '--passphrase-file',
    'passphrase',
    '--remember',
    '5 calls for 1h',
    '--typed',
    'book__note_again',
  )
  expect(remembered.code).not.toBe(0)
  const approved = await gate.cli(
    'approve',
    held.approval_id,
    '--passphrase-file',
    'passphrase',
    '--typed',
    'book__note_again',
  )
  expect(approved.code).toBe(0)
  expect((await gate.cli('status', held.call_id, '--wait', '10')).code).toBe(0)
  expect(effectsIn(gate.folder)).toHaveLength(1)
})

test('doctor reports that', async () => {
  expect((await gate.cli('doctor')).out).toContain('there is only one approver')
})

/** A rule requires two people for this call; the text of its request, on one line. */
async function echoed(agent: string): Promise<string> {
  const { body } = await gate.http('POST', '/v1/calls', agent, { tool: 'book__echo', args: { text: 'x' } })
  return (await gate.cli('approvals', String(body['approval_id']))).out.replaceAll(/\s+(?:↳ )?/g, ' ')
}

test('a rule that requires two people still does, and the request says that only one can approve and what to do', async () => {
  expect(await echoed(await gate.key('agent', 'echoing', 'ann'))).toMatch(
    /asked: 2 approvers; 0 so far, 2 more people must approve besides the requester, only one person can approve here: create a key for another person with `\S+ keys create approver NAME`/,
  )
})

test('with a second person two must decide', async () => {
  // The key of another approver needs the passphrase too.
  expect((await gate.cli('--json', 'keys', 'create', 'approver', 'bob')).out).toContain('approval.passphrase_needed')
  expect((await gate.cli('keys', 'create', 'approver', 'bob', '--passphrase-file', 'passphrase')).code).toBe(0)
  expect(await echoed(await gate.key('agent', 'echoing-again', 'ann'))).not.toContain('besides the requester')
  const held = await call()
  expect(held.evidence).toContainEqual(expect.objectContaining({ strength: 'two_person' }))
  expect((await gate.cli('doctor')).out).not.toContain('there is only one approver')
})
