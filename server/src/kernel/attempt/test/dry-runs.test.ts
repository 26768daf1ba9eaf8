import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Outcome } from '../../contract/call.ts'
import {
  ADMIN,
  AGENT,
  APPROVER,
  BOOK_TOOLS,
  openTestGate,
  pendingOf,
  type GateRig,
} from '../../../../test/helpers/with-gate.ts'

/**
 * A dry run is judged like the call. The tools here have dry runs that are recorded in the book like all effects, so the book shows which
 * were sent. `note_again` declares its dry run free of effects, `slow_note` does not; `wipe` sends one to the data folder.
 */
const folder = mkdtempSync(join(tmpdir(), 'sluice-dry-'))
const marked = { dry_run: true }
const OPTIONS = {
  policy: `rules:
  - { id: no, effect: block, match: { tool: '*' }, when: 'has(args.text) && args.text == "no"', says: not this }
  - { id: yes, effect: allow, match: { tool: book__slow_note }, when: 'args.text == "yes"', says: this }
  - { id: wiping, effect: ask, match: { tool: book__wipe }, says: asked about }`,
  config: { repetition: { most: 100 } },
  server: {
    tools: {
      ...BOOK_TOOLS,
      note_again: { effects: ['write', 'external'], dry_run: { args: marked, effect_free: true } },
      slow_note: { effects: ['write', 'external'], dry_run: { args: marked, effect_free: false } },
      wipe: {
        effects: ['destructive'],
        dry_run: { args: { ...marked, text: join(folder, 'data/admin.key') }, effect_free: true },
      },
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

let before = 0
afterEach(() => void (before = rig.effects().length))
/** The requests that reached the server in this test. */
const sent = () => rig.effects().slice(before)
let threads = 0
const call = (tool: string, text: string, dry_run?: 'only' | 'first'): Promise<Outcome> =>
  rig.call(
    `book__${tool}`,
    { text },
    { thread: `dry ${(threads += 1)}`, ...(dry_run === undefined ? {} : { dry_run }) },
  )
const previews = async () =>
  (await rig.gate.audit.page(undefined, 1, 1_000)).filter(({ type }) => type === 'call.previewed').length

/** Requests it in every way: alone, before the call, or for the approver. */
async function expectNotSent(text: string, status: readonly Outcome['status'][]): Promise<void> {
  const recorded = await previews()
  for (const wanted of ['only', 'first', undefined] as const)
    expect(status, `${wanted}`).toContain((await call('note_again', text, wanted)).status)
  expect(sent()).toEqual([])
  expect(await previews()).toBe(recorded)
}

describe('a dry run that its operator declared free of effects', () => {
  test('is sent for a held call, is audited, and reports the verdict of the call', async () => {
    const recorded = await previews()
    expect(await call('note_again', 'one', 'only')).toMatchObject({ status: 'previewed', verdict: { effect: 'ask' } })
    expect(sent()).toEqual(['note_again {"dry_run":true,"text":"one"}'])
    expect(await previews()).toBe(recorded + 1)
    const { approval_id } = pendingOf(await call('note_again', 'two'))
    expect(await rig.gate.approvals.read(APPROVER, approval_id)).toMatchObject({
      value: { preview: { content: [{ text: 'noted' }] }, proposed_args: '{"text":"two"}' },
    })
    expect(sent()).toHaveLength(2)
  })

  test('is not sent for a call that a rule blocks', () => expectNotSent('no', ['refused']))

  test.each([
    ['tool:book__note_again', 'block'],
    ['tool:book__note_again', 'ask'],
    ['server:book', 'ask'],
    [`caller:${AGENT.id}`, 'ask'],
    ['all', 'block'],
  ] as const)('is not sent while %s is paused (%s)', async (scope, effect) => {
    expect(await rig.gate.pauses.set(ADMIN, { scope, effect, active: true, reason: '' })).toMatchObject({ ok: true })
    try {
      await expectNotSent('paused', effect === 'block' ? ['refused'] : ['refused', 'pending'])
    } finally {
      await rig.gate.pauses.set(ADMIN, { scope, effect, active: false, reason: '' })
    }
    expect(await call('note_again', 'let go on', 'only')).toMatchObject({ status: 'previewed' })
  })

  test("is not sent with a path into the gate's own data, from the caller or from the configuration", async () => {
    await expectNotSent(join(folder, 'data/admin.key'), ['refused'])
    const refused = await call('wipe', 'innocent', 'only')
    expect(refused).toMatchObject({ status: 'failed', problem: { code: 'call.dry_run_failed' } })
    expect(sent()).toEqual([])
  })

  test("is not sent with one of the gate's own credentials, nor with a secret of somebody else", async () => {
    const made = await rig.gate.identity.createCredential(ADMIN, { kind: 'approver', name: 'dry' })
    if (!made.ok) throw new Error(made.problem.code)
    await expectNotSent(`keep ${made.value.key}`, ['refused'])
    await expectNotSent('keep ghp_D4aB3dE5gH7jK9mN1pQ2sT4vW6xY8zaB3dE5', ['refused'])
  })
})

describe('a dry run that may have effects', () => {
  test('is sent only if the call itself is allowed, and the call is not executed', async () => {
    expect(await call('slow_note', 'maybe', 'only')).toMatchObject({ problem: { code: 'call.no_dry_run' } })
    expect(await call('slow_note', 'no', 'only')).toMatchObject({ problem: { code: 'call.blocked' } })
    pendingOf(await call('slow_note', 'maybe'))
    expect(sent()).toEqual([])
    expect(await call('slow_note', 'yes', 'only')).toMatchObject({ status: 'previewed', verdict: { effect: 'allow' } })
    expect(sent()).toEqual(['slow_note {"dry_run":true,"text":"yes"}'])
  })
})
