import { auditText } from '../contract/audit-events.ts'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AuditDraft } from '../contract/audit.ts'
import type { Tool } from '../contract/tool.ts'
import { openLivePolicy, type LivePolicy, type LivePolicyPorts, type PolicyRead } from './live-policy.ts'
import type { Change, Committed } from '../ports/ledger.ts'

const text = (body: string): PolicyRead => ({ ok: true, value: { text: body, file: 'policy.yaml' } })
const GOOD = 'preset: careful\n'
const ruled = (condition: string) =>
  `rules:\n  - { id: a, effect: allow, match: { tool: s__t }, when: ${condition}, says: so }\n`

type Rig = {
  live: LivePolicy
  entries: AuditDraft[]
  read: PolicyRead
  answer: Committed
  schema: Tool['row']['definition']['inputSchema'] | undefined
}

/** A live policy over a ledger that remembers, a file that can be replaced and a catalogue with at most one tool. */
async function openRig(
  first = GOOD,
  schema?: Rig['schema'],
  more: Pick<LivePolicyPorts, 'missing_guards'> = {},
): Promise<Rig> {
  const entries: AuditDraft[] = []
  const rig = { entries, read: text(first), answer: 'committed' as Committed, schema }
  let now = 0
  const deps = {
    digest: (body: string) => `digest of ${body}`,
    clock: () => (now += 1),
    ids: { trace: () => 'trace' },
    ledger: {
      async commit(changes: readonly Change[]) {
        if (rig.answer !== 'committed') return rig.answer
        for (const change of changes) if (change.kind === 'audit') entries.push(change.entry)
        return rig.answer
      },
    },
    catalogue: {
      tool: () =>
        rig.schema === undefined
          ? undefined
          : ({ row: { admitted: { definition: { name: 't', inputSchema: rig.schema } } } } as Tool),
      tools: () => [],
      lookAlikes: () => [],
    },
    read: () => rig.read,
  }
  const opened = await openLivePolicy({ ...deps, ...more }, { text: first, file: 'policy.yaml' })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  return Object.assign(rig, { live: opened.value })
}

describe('the live policy', () => {
  test('does not open on a mistake', async () => {
    await expect(openRig('preset: carefull')).rejects.toThrow('config.invalid')
  })

  test('is recorded when it opens, and not again if nothing changed', async () => {
    const { live, entries } = await openRig()
    expect(await live.reload('request')).toMatchObject({ ok: true, value: { changed: false } })
    expect(entries.map(({ type, about }) => [type, about?.['because']])).toEqual([['policy.loaded', 'start']])
  })

  test('says at the start which guards this build does not have, and nothing if it has all', async () => {
    const { entries } = await openRig(GOOD, undefined, { missing_guards: ['risk', 'shell'] })
    expect(entries[0]?.about).toMatchObject({ because: 'start', without: ['risk', 'shell'] })
    expect(auditText({ ...entries[0], type: 'policy.loaded' })).toContain('; this build has no risk, shell')
    for (const missing_guards of [undefined, []]) {
      const whole = await openRig(GOOD, undefined, missing_guards === undefined ? {} : { missing_guards })
      expect(whole.entries[0]?.about).not.toHaveProperty('without')
    }
  })

  test('names who asked, and the versions before and after', async () => {
    const rig = await openRig()
    rig.read = text('preset: strict')
    await rig.live.reload('request', 'admin:root')
    expect(rig.entries.at(-1)).toMatchObject({
      type: 'policy.loaded',
      actor: 'admin:root',
      about: { because: 'request', before: `digest of ${GOOD}`, version: 'digest of preset: strict', preset: 'strict' },
    })
    expect(rig.live.current().preset).toBe('strict')
  })

  test('a mistake is noted once, however often it is read, and the next valid text removes the warning', async () => {
    const rig = await openRig()
    rig.read = text('preset: strikt')
    for (let round = 0; round < 3; round += 1) expect(await rig.live.reload('file')).toMatchObject({ ok: false })
    expect(rig.entries.filter(({ type }) => type === 'policy.refused')).toHaveLength(1)
    expect(rig.live.warning()?.faults[0]).toMatchObject({ file: 'policy.yaml', line: 1, column: 9 })
    expect(rig.live.current().preset).toBe('careful')
    rig.read = text(GOOD)
    expect(await rig.live.reload('file')).toMatchObject({ ok: true, value: { changed: false } })
    expect(rig.live.warning()).toBeUndefined()
    expect(rig.entries.at(-1)?.type).toBe('policy.loaded')
  })

  test('a policy that cannot be recorded is not activated, and a warning says so', async () => {
    const rig = await openRig()
    rig.read = text('preset: strict')
    for (const [answer, code] of [
      ['unavailable', 'audit.unavailable'],
      [{ in_doubt: 'x' }, 'audit.in_doubt'],
    ] as const) {
      rig.answer = answer
      expect(await rig.live.reload('file')).toMatchObject({ ok: false, problem: { code } })
    }
    expect(rig.live.current().preset).toBe('careful')
    expect(rig.live.warning()?.says).toContain('could not be recorded')
    rig.answer = 'committed'
    expect(await rig.live.reload('file')).toMatchObject({ ok: true })
    expect(rig.live.current().preset).toBe('strict')
    expect(rig.live.warning()).toBeUndefined()
  })

  test('a schema that arrives later is checked against the active conditions', async () => {
    const rig = await openRig(ruled('args.amout > 1'))
    expect(rig.live.warning()).toBeUndefined()
    rig.schema = { type: 'object', properties: { amount: { type: 'number' } } }
    expect(await rig.live.reload('catalogue')).toMatchObject({ ok: false })
    expect(rig.live.warning()?.says).toContain('does not match the schemas')
    expect(rig.live.warning()?.faults[0]?.instead).toContain('amount')
    expect(rig.live.current().operator.rules).toHaveLength(1)
    rig.schema = { type: 'object', properties: { amout: { type: 'number' } } }
    expect(await rig.live.reload('catalogue')).toMatchObject({ ok: true })
    expect(rig.live.warning()).toBeUndefined()
  })

  test('opens with a warning on a policy that does not match the schemas: no tool server can prevent a gate from starting', async () => {
    const schema = { type: 'object', properties: { amount: { type: 'number' } } }
    const rig = await openRig(ruled('args.amout > 1'), schema)
    expect(rig.live.current().operator.rules).toHaveLength(1)
    expect(rig.live.warning()?.faults).toHaveLength(1)
  })

  test('whatever happens, the last valid recorded text is active, and there is a warning iff the newest is not', async () => {
    const step = fc.record({
      body: fc.constantFrom(
        GOOD,
        'preset: strict',
        'preset: observe',
        'preset: nonsense',
        'rules: 7',
        'a: [',
        undefined,
      ),
      answer: fc.constantFrom<Committed>('committed', 'committed', 'committed', 'unavailable'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const rig = await openRig()
        let inForce = GOOD
        for (const { body, answer } of steps) {
          rig.answer = answer
          rig.read = body === undefined ? { ok: false, faults: [] } : text(body)
          const reloaded = await rig.live.reload('file')
          if (reloaded.ok && body !== undefined) inForce = body
          expect(rig.live.current().version).toBe(`digest of ${inForce}`)
          expect(rig.live.warning() === undefined).toBe(reloaded.ok)
        }
        const recorded = rig.entries.filter(({ type }) => type === 'policy.loaded').at(-1)?.about?.['version']
        expect(recorded).toBe(`digest of ${inForce}`)
      }),
    )
  })
})
