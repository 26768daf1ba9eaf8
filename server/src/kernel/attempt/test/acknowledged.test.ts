import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import type { Caller } from '../../contract/caller.ts'
import type { CallRequest, Outcome } from '../../contract/call.ts'
import type { PauseScope } from '../../contract/pause.ts'
import { race } from '../../../../test/race/race.ts'
import { someOf } from '../../../../test/some-of.ts'
import {
  ADMIN,
  APPROVER,
  approveRetry,
  effectsIn,
  openTestGate,
  orderRetry,
  pendingOf,
  until,
  type GateRig,
  approveShown,
} from '../../../../test/helpers/with-gate.ts'

const ALLOW = 'rules: [{ id: all, effect: allow, match: { role: agent }, says: all }]'
const BLOCK = 'rules: [{ id: none, effect: block, match: { role: agent }, says: none }]'
const HOLD = `rules:
  - { id: held, effect: ask, match: { tool: slow__act }, says: a person decides }
  - { id: rest, effect: allow, match: { tool: [slow__is_ready, slow__change] }, says: reads }`

const CHECK = { tool: 'is_ready', args: {}, expect: { path: 'ready', equals: true } }
const ACT = { effects: ['write'], check: CHECK, dry_run: { args: { dry_run: true }, effect_free: true } }

type Waiting = GateRig & {
  /** The caller of the key, as a door would identify it. */
  readonly caller: Caller
  readonly key_id: string
  readonly act: (more?: Partial<CallRequest>) => Promise<Outcome>
  readonly count: (name: string) => number
  /** Waits until the tool server got this question for the n-th time and is waiting. */
  readonly asked: (name: string, times?: number) => Promise<void>
  readonly release: () => void
  readonly loadPolicy: (text: string) => Promise<void>
}

type Options = { policy?: string; act?: object; server?: object; ttl_s?: number; config?: object }

/** A gate over a tool server that stays in a check or a dry run until it is released. */
async function withWaiting(use: (rig: Waiting) => Promise<void>, options: Options = {}): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-acknowledged-'))
  let text = options.policy ?? ALLOW
  const slow = {
    command: process.execPath,
    args: [resolve(import.meta.dirname, '../../../../test/tool-servers/waiting.ts')],
    env: { EFFECTS: join(folder, 'effects.txt') },
    tools: { act: { ...ACT, ...options.act }, is_ready: { effects: ['read'] }, change: { effects: ['read'] } },
    ...options.server,
  }
  const rig = await openTestGate(folder, {
    policy: text,
    config: { servers: { slow }, ...options.config },
    source: { read: () => ({ ok: true, value: { text, file: 'policy.yaml' } }), watch: () => () => {} },
  })
  const { gate } = rig
  const created = await gate.identity.createCredential(ADMIN, {
    kind: 'agent',
    name: 'a',
    user: 'ana',
    ttl_s: options.ttl_s,
  })
  if (!created.ok) throw new Error(created.problem.code)
  const caller = await gate.identity.authenticate(created.value.key)
  if (!caller.ok) throw new Error(caller.problem.code)
  const count = (name: string) => effectsIn(folder).filter((line) => line === name).length
  try {
    await use({
      ...rig,
      caller: caller.value,
      key_id: created.value.row.key_id,
      count,
      act: (more = {}) => rig.call('slow__act', { text: 'x' }, { caller: caller.value, ...more }),
      asked: (name, times = 1) => until(() => count(name) >= times),
      release: () => writeFileSync(join(folder, 'effects.txt.go'), ''),
      async loadPolicy(next) {
        text = next
        expect(await gate.policies.reload(ADMIN)).toMatchObject({ ok: true })
      },
    })
  } finally {
    writeFileSync(join(folder, 'effects.txt.go'), '')
    await rig.opened.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const pause =
  (scope: PauseScope, effect: 'ask' | 'block' = 'block') =>
  async ({ gate }: Waiting) => {
    const paused = await gate.pauses.set(ADMIN, { scope, effect, active: true, reason: 'stop' })
    expect(paused).toMatchObject({ ok: true })
  }
const revoke = async ({ gate, key_id }: Waiting) => {
  expect(await gate.identity.revokeCredential(ADMIN, key_id)).toMatchObject({ ok: true })
}
const changeDefinition = async ({ gate, call, act: _ }: Waiting) => {
  const hash = () => gate.catalogue.tools(ADMIN).find(({ row }) => row.tool_id === 'slow__act')?.row.definition_hash
  const before = hash()
  expect(await call('slow__change')).toMatchObject({ status: 'executed' })
  await until(() => hash() !== before)
}
const blockByPolicy = ({ loadPolicy }: Waiting) => loadPolicy(BLOCK)

/** What people can do while a call waits for its check, and the rule that then stops the call. */
const ACKNOWLEDGED: readonly (readonly [string, (rig: Waiting) => Promise<void>, string])[] = [
  ['a pause of everything', pause('all'), 'pause.all'],
  ['a pause of the caller', pause('caller:agent:a'), 'pause.caller:agent:a'],
  ['a pause of the tool', pause('tool:slow__act'), 'pause.tool:slow__act'],
  ['a pause of the server', pause('server:slow'), 'pause.server:slow'],
  ['a revoked key', revoke, 'credential.revoked'],
  ['a changed definition', changeDefinition, 'definition.moved'],
  ['another policy', blockByPolicy, 'none'],
]

describe('a call that waits for its check', () => {
  test.each(someOf(ACKNOWLEDGED, 2))('is stopped by %s', (_name, acknowledge, rule) =>
    withWaiting(async (rig) => {
      const under_way = rig.act()
      await rig.asked('is_ready')
      await acknowledge(rig)
      rig.release()
      const outcome = await under_way
      expect(rig.count('act')).toBe(0)
      expect(outcome).toMatchObject({ status: 'refused', problem: { code: 'call.blocked' } })
      expect(outcome).toMatchObject({ problem: { about: { rules: expect.stringContaining(rule) as string } } })
    }),
  )

  test('is held again when the consent that covered it is revoked', () =>
    withWaiting(
      async (rig) => {
        const { gate, caller, act, asked, release, count } = rig
        const what = { tool: 'slow__act', args: [{ path: '/text', op: 'equals' as const, value: 'x' }] }
        const actor = `caller:${caller.id}` as const
        const minted = await gate.consents.mint(ADMIN, { actor, what, calls: 5, expires_in_s: 600 })
        if (!minted.ok) throw new Error(minted.problem.code)
        const outcome = act()
        await asked('is_ready')
        expect(await gate.consents.revoke(ADMIN, minted.value.consent_id)).toMatchObject({ ok: true })
        release()
        expect((await outcome).status).toBe('pending')
        expect(count('act')).toBe(0)
      },
      { policy: HOLD },
    ))

  test('is held if a pause asks for approval', () =>
    withWaiting(async (rig) => {
      const under_way = rig.act()
      await rig.asked('is_ready')
      await pause('all', 'ask')(rig)
      rig.release()
      pendingOf(await under_way)
      expect(rig.count('act')).toBe(0)
    }))

  test('runs if the pause was lifted meanwhile, after its check was repeated', () =>
    withWaiting(async (rig) => {
      const under_way = rig.act()
      await rig.asked('is_ready')
      await pause('all')(rig)
      expect(
        await rig.gate.pauses.set(ADMIN, { scope: 'all', effect: 'block', active: false, reason: '' }),
      ).toMatchObject({ ok: true })
      rig.release()
      expect(await under_way).toMatchObject({ status: 'executed' })
      expect([rig.count('is_ready'), rig.count('act')]).toEqual([2, 1])
    }))

  test('is stopped when its key expires meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    try {
      await withWaiting(
        async (rig) => {
          const under_way = rig.act()
          await rig.asked('is_ready')
          vi.setSystemTime(rig.caller.credential?.expires_at ?? 0)
          rig.release()
          expect(await under_way).toMatchObject({ status: 'refused' })
          expect(rig.count('act')).toBe(0)
        },
        { ttl_s: 600 },
      )
    } finally {
      vi.useRealTimers()
    }
  })

  test('is not affected by a pause of another caller', () =>
    withWaiting(async (rig) => {
      const under_way = rig.act()
      await rig.asked('is_ready')
      await pause('caller:agent:b')(rig)
      await pause('tool:slow__change')(rig)
      rig.release()
      expect(await under_way).toMatchObject({ status: 'executed' })
      expect(rig.count('is_ready')).toBe(1)
    }))

  test('is stopped by the quarantine of its caller', () =>
    withWaiting(
      async (rig) => {
        const under_way = rig.act()
        await rig.asked('is_ready')
        expect(await rig.call('slow__change', { text: 'honey-token-1' }, { caller: rig.caller })).toMatchObject({
          status: 'refused',
        })
        rig.release()
        expect(await under_way).toMatchObject({ status: 'refused' })
        expect(rig.count('act')).toBe(0)
      },
      { config: { traps: { tokens: ['honey-token-1'] } } },
    ))

  test('is stopped by a pause that another process acknowledged', () =>
    withWaiting(async (rig) => {
      const under_way = rig.act()
      await rig.asked('is_ready')
      expect(await race('pauser.ts', [[rig.folder, 'all']])).toEqual({ paused: 1 })
      rig.release()
      expect(await under_way).toMatchObject({ status: 'refused' })
      expect(rig.count('act')).toBe(0)
    }))
})

describe('an approved call that waits for its check', () => {
  test.each(someOf(ACKNOWLEDGED, 4))('is stopped by %s', (_name, acknowledge, rule) =>
    withWaiting(
      async (rig) => {
        // The dry run waits as well.
        rig.release()
        const held = pendingOf(await rig.act())
        rmSync(join(rig.folder, 'effects.txt.go'))
        await approveShown(rig.gate, APPROVER, held.approval_id)
        await rig.asked('is_ready')
        await acknowledge(rig)
        rig.release()
        const outcome = await rig.outcome(held.call_id)
        expect(rig.count('act')).toBe(0)
        expect(outcome).toMatchObject({ status: 'refused', problem: { code: 'approval.stale' } })
        expect(outcome).toMatchObject({ problem: { about: { because: expect.stringContaining(rule) as string } } })
        expect(await rig.gate.approvals.read(ADMIN, held.approval_id)).toMatchObject({ value: { state: 'stale' } })
      },
      { policy: HOLD },
    ),
  )

  test('does not run when its key was revoked while it was held', () =>
    withWaiting(
      async (rig) => {
        rig.release()
        const held = pendingOf(await rig.act())
        await revoke(rig)
        await approveShown(rig.gate, APPROVER, held.approval_id)
        expect(await rig.outcome(held.call_id)).toMatchObject({
          status: 'refused',
          problem: { code: 'approval.stale', about: { because: 'credential.revoked' } },
        })
        expect(rig.count('act')).toBe(0)
      },
      { policy: HOLD },
    ))
})

describe('a call that a person retries', () => {
  test.each(someOf(ACKNOWLEDGED, 3))('is stopped by %s, and stays unknown', (_name, acknowledge, rule) =>
    withWaiting(
      async (rig) => {
        rig.release()
        const args = { text: 'silent' }
        const first = await rig.call('slow__act', args, { caller: rig.caller })
        expect(first).toMatchObject({ status: 'unknown' })
        const call_id = 'call_id' in first ? (first.call_id ?? '') : ''
        const retry = await orderRetry(rig.gate, APPROVER, call_id)
        rmSync(join(rig.folder, 'effects.txt.go'))
        expect(await approveShown(rig.gate, APPROVER, retry)).toMatchObject({ ok: true })
        await rig.asked('is_ready', 2)
        await acknowledge(rig)
        rig.release()
        // The effect of the first try is still unknown, so a person is asked again.
        const because = expect.stringContaining(rule) as string
        await until(async () => {
          const open = await rig.gate.calls.listUnknown(APPROVER, { limit: 10 })
          return open.ok && open.value.items.some(({ problem }) => problem?.about['retry'] !== undefined)
        })
        expect(await rig.outcome(call_id)).toMatchObject({
          status: 'unknown',
          problem: { code: 'call.not_retried', about: { retry: 'approval.stale', because } },
        })
        expect(rig.count('act')).toBe(1)
        expect(await rig.gate.calls.settle(APPROVER, call_id, 'failed')).toMatchObject({ ok: true })
      },
      { server: { timeout_ms: 1_000 } },
    ),
  )

  test('and that cannot be sent again stays unknown: the tool received it before', () =>
    withWaiting(
      async (rig) => {
        const first = await rig.call('slow__act', { text: 'dies' }, { caller: rig.caller })
        expect(first).toMatchObject({ status: 'unknown', problem: { code: 'tool.broke_off' } })
        const call_id = 'call_id' in first ? (first.call_id ?? '') : ''
        for (const attempt of [2, 3]) {
          expect(await approveRetry(rig.gate, APPROVER, call_id)).toMatchObject({ ok: true })
          await until(async () => {
            const open = await rig.gate.calls.listUnknown(APPROVER, { limit: 10 })
            const isOpen = open.ok && open.value.items.some((row) => row.attempt === attempt)
            return isOpen || (await rig.outcome(call_id)).status === 'failed'
          })
          expect(await rig.outcome(call_id)).toMatchObject({
            status: 'unknown',
            problem: { code: 'call.not_retried', about: { retry: 'tool.unavailable' } },
          })
        }
        expect(rig.count('act')).toBe(1)
        expect(await rig.gate.calls.settle(APPROVER, call_id, 'done')).toMatchObject({ ok: true })
        expect(await rig.outcome(call_id)).toMatchObject({ status: 'executed' })
      },
      { act: { check: undefined, dry_run: undefined } },
    ))
})

describe('a dry run', () => {
  test.each(someOf(ACKNOWLEDGED, 3))('that is waiting does not let its call run after %s', (_name, acknowledge) =>
    withWaiting(
      async (rig) => {
        const under_way = rig.act({ dry_run: 'first' })
        await rig.asked('dry_run')
        await acknowledge(rig)
        rig.release()
        expect(await under_way).toMatchObject({ status: 'refused' })
        expect(rig.count('act')).toBe(0)
      },
      { act: { check: undefined } },
    ),
  )

  test('is not sent while its tool is paused, even if the pause only asks for approval', () =>
    withWaiting(async (rig) => {
      rig.release()
      await pause('tool:slow__act', 'ask')(rig)
      pendingOf(await rig.act())
      expect(await rig.act({ dry_run: 'only' })).toMatchObject({ status: 'refused' })
      expect(rig.count('dry_run')).toBe(0)
    }))

  test('is not sent to a tool whose definition was not admitted', () =>
    withWaiting(async (rig) => {
      rig.release()
      await changeDefinition(rig)
      pendingOf(await rig.act())
      expect(rig.count('dry_run')).toBe(0)
    }))
})
