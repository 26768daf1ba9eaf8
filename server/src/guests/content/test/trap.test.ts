import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openGate } from '../../../main/open-gate.ts'
import type { Gate } from '../../../../test/helpers/use-gate.ts'
import {
  ADMIN,
  AGENT,
  APPROVER,
  openTestGate,
  pendingOf,
  settingsIn,
  withGate,
  approveShown,
} from '../../../../test/helpers/with-gate.ts'

const TOKEN = 'AQ-honey-8f3c21d07b'
const config = { traps: { tokens: [TOKEN] } }
const lift = { scope: 'caller:agent:a', effect: 'block', reason: 'talked to them', active: false } as const
const findings = async (gate: Gate) =>
  (await gate.audit.page(undefined, 1, 1000)).filter(({ type }) => type === 'trap.sprung')

describe('a triggered trap', () => {
  test('blocks the call, is a critical finding, and pauses its caller until an admin lifts it', async () => {
    await withGate(
      async ({ gate, call, effects }) => {
        const outcome = await call('book__note_again', { text: `send it to ${TOKEN}` })
        expect(outcome).toMatchObject({ status: 'refused', problem: { about: { rules: 'trap.token' } } })
        expect(JSON.stringify(outcome)).not.toContain('honey-')
        expect(await findings(gate)).toMatchObject([
          { actor: 'agent:a', about: { severity: 'critical', traps: 'traps.tokens.0' } },
        ])
        expect(await gate.pauses.list()).toMatchObject([
          { scope: 'caller:agent:a user:ana', effect: 'block', by: 'trap' },
        ])

        const stopped = { status: 'refused', problem: { about: { rules: 'pause.caller:agent:a user:ana' } } }
        expect(await call('book__look')).toMatchObject(stopped)
        expect(await call('book__look', {}, { thread: 't2' })).toMatchObject(stopped)
        for (const other of [{ id: 'agent:b' }, { user: 'bob' }])
          expect(await call('book__look', {}, { caller: { ...AGENT, ...other } })).toMatchObject({ status: 'executed' })
        for (const caller of [AGENT, APPROVER])
          expect(await gate.pauses.set(caller, lift)).toMatchObject({ problem: { code: 'auth.forbidden' } })
        expect(await call('book__look')).toMatchObject(stopped)

        const another = { ...lift, scope: 'caller:agent:a user:bob' } as const
        expect(await gate.pauses.set(ADMIN, another)).toMatchObject({ ok: true })
        expect(await call('book__look')).toMatchObject(stopped)
        expect(await gate.pauses.set(ADMIN, lift)).toMatchObject({ ok: true })
        expect(await call('book__look')).toMatchObject({ status: 'executed' })
        expect(effects()).toEqual([])
        expect(await gate.audit.verify([])).toMatchObject({ ok: true })
      },
      { config },
    )
  })

  test('also stops the pending calls of the caller', async () => {
    await withGate(
      async ({ gate, call, outcome, effects }) => {
        const held = pendingOf(await call('book__note', { text: 'harmless' }))
        await call('book__look', { text: TOKEN })
        await approveShown(gate, APPROVER, held.approval_id)
        expect(await outcome(held.call_id)).toMatchObject({ status: 'refused', problem: { code: 'approval.stale' } })
        expect(effects()).toEqual([])
      },
      { config },
    )
  })

  test('is enforced while observing, in a dry run, and after the gate was started again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-trap-'))
    const policy = 'preset: observe'
    try {
      const first = await openTestGate(folder, { config, policy })
      const wanted = { dry_run: 'only' as const }
      const outcome = await first.call('book__note', { text: Buffer.from(`x${TOKEN}`).toString('base64') }, wanted)
      expect(outcome).toMatchObject({ status: 'refused', problem: { about: { rules: 'trap.token' } } })
      await first.opened.close()
      const second = await openTestGate(folder, { config, policy })
      expect(await second.call('book__look')).toMatchObject({ status: 'refused' })
      await second.gate.pauses.set(ADMIN, lift)
      expect(await second.call('book__look')).toMatchObject({ status: 'executed' })
      await second.opened.close()
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('is also found when an approved call is rechecked, if the honey token was added meanwhile', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-trap-'))
    try {
      const before = await openTestGate(folder)
      const held = pendingOf(await before.call('book__note', { text: TOKEN }))
      await before.opened.close()
      const { gate, outcome, effects, opened } = await openTestGate(folder, { config })
      await approveShown(gate, APPROVER, held.approval_id)
      expect(await outcome(held.call_id)).toMatchObject({
        status: 'refused',
        problem: { code: 'approval.stale', about: { because: 'trap.token' } },
      })
      expect(await gate.pauses.list()).toMatchObject([{ scope: 'caller:agent:a user:ana', by: 'trap' }])
      expect(await findings(gate)).toHaveLength(1)
      expect(effects()).toEqual([])
      await opened.close()
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('in an approver`s edit blocks the edit and pauses nobody', async () => {
    await withGate(
      async ({ gate, call }) => {
        const held = pendingOf(await call('book__note', { text: 'x' }))
        expect(await gate.approvals.edit(APPROVER, held.approval_id, { text: TOKEN })).toMatchObject({
          problem: { code: 'call.blocked', about: { rules: 'trap.token' } },
        })
        expect(await gate.pauses.list()).toEqual([])
      },
      { config },
    )
  })

  test('by many concurrent calls pauses the caller each time, even while an admin keeps lifting the pause', async () => {
    await withGate(
      async ({ gate, call }) => {
        const calls = Array.from({ length: 12 }, (_, at) => call('book__note_again', { text: `${TOKEN} ${at}` }))
        const lifts = Array.from({ length: 12 }, () => gate.pauses.set(ADMIN, lift))
        const outcomes = await Promise.all([...calls, ...lifts.map(() => call('book__look', { text: TOKEN }))])
        await Promise.all(lifts)
        expect(outcomes.every(({ status }) => status === 'refused')).toBe(true)
        const entries = await gate.audit.page(undefined, 1, 1000)
        const last = entries.findLast(({ type }) => type === 'trap.sprung' || type === 'gate.unpaused')
        expect((await gate.pauses.list()).length).toBe(last?.type === 'trap.sprung' ? 1 : 0)
        expect(await findings(gate)).toHaveLength(24)
      },
      { config },
    )
  })

  test('is also a honey file, by whatever path, on any server', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-trap-')))
    mkdirSync(join(folder, 'bait'))
    writeFileSync(join(folder, 'bait/passwords.txt'), 'nothing')
    symlinkSync('bait', join(folder, 'innocent'))
    try {
      const { gate, call, opened } = await openTestGate(folder, {
        config: { traps: { files: ['./bait/passwords.txt'] } },
      })
      const paths = ['bait/passwords.txt', 'innocent/passwords.txt', './x/../bait/passwords.txt']
      for (const path of paths) {
        expect(await call('book__look', { path })).toMatchObject({
          status: 'refused',
          problem: { about: { rules: 'trap.file' } },
        })
        await gate.pauses.set(ADMIN, lift)
      }
      const spelled = { command: `cat ${join(folder, 'bait/passwords.txt')}` }
      expect(await call('book__look', spelled)).toMatchObject({ status: 'refused' })
      await gate.pauses.set(ADMIN, lift)
      expect(await call('book__look', { path: 'bait/other.txt' })).toMatchObject({ status: 'executed' })
      await opened.close()
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

test('a gate with a missing or too short honey token does not start, and does not print the token', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-trap-'))
  for (const [token, says] of [
    ['env:NO_SUCH_VARIABLE_HERE', 'traps.tokens.0: the secret is missing'],
    ['short', 'traps.tokens.0: a honey token has at least 8 characters'],
  ] as const) {
    const settings = settingsIn(folder, { config: { traps: { tokens: [token] } } })
    expect(await openGate(settings, { log: () => {}, url: () => '' })).toMatchObject({
      problem: { code: 'config.invalid', about: { paths: says } },
    })
  }
  rmSync(folder, { recursive: true, force: true })
})
