import { describe, expect, test, vi } from 'vitest'
import { readToolflow } from '../../src/guests/toolflow/read-toolflow.ts'
import type { Change } from '../../src/kernel/ports/ledger.ts'
import type * as SqliteLedger from '../../src/adapters/stores/sqlite/open-sqlite-ledger.ts'
import { ADMIN, APPROVER, pendingOf, until, withGate, type GateRig, approveShown } from '../helpers/with-gate.ts'
import { FLOW_POLICY, runFlow, valueOf } from '../../src/guests/toolflow/test/with-flows.suite.ts'

const commits = vi.hoisted((): string[][] => [])
const disk = vi.hoisted(() => ({ busy: 0 }))

/** The real store, with a count of what is committed to it. */
vi.mock('../../src/adapters/stores/sqlite/open-sqlite-ledger.ts', async (original) => {
  const real = await original<typeof SqliteLedger>()
  return {
    ...real,
    async openSqliteLedger(setup: SqliteLedger.SqliteSetup) {
      const opened = await real.openSqliteLedger(setup)
      if (!opened.ok) return opened
      const commit = (changes: readonly Change[]) => {
        if (!changes.some(isByClock)) commits.push(changes.filter(({ kind }) => kind !== 'expect').map(said))
        disk.busy += 1
        return opened.value.commit(changes).finally(() => (disk.busy -= 1))
      }
      return { ok: true, value: { ...opened.value, commit } }
    },
  }
})

/** Checkpoints are signed, and the latest time is stored, by the clock, whatever runs. */
const isByClock = (change: Change): boolean =>
  change.kind === 'swap' ? change.table === 'checkpoints' : 'account' in change && change.account.startsWith('clock ')

function said(change: Change): string {
  if (change.kind === 'swap') return `swap ${change.table}`
  return change.kind === 'audit' ? change.entry.type : change.kind
}

const ASKED = `
rules:
  - { id: asked, effect: ask, match: { tool: [book__note, book__note_again] }, says: a person decides }
`

/** Each commit waits for the disk, so more of them make every run slower: raise these only with a reason. */
describe('the commits of a toolflow that executes one call', () => {
  test.each([
    // One of them labels the prompt as the user's own words, before anything is judged.
    ['without a dry run', 'book__note_again', 9],
    // One more than the call itself: the answer of the dry run is recorded in the session before anything uses it.
    ['with a dry run', 'book__note', 12],
  ])('%s', async (_, skill_id, expected) => {
    await withGate(
      async (rig) => {
        await countFromHere(rig)
        const { run_id } = await runFlow(rig, { user_prompt: 'a note', skill_id, args: { text: 'plain' } })
        await until(async () => valueOf(await readToolflow(rig.ports, ADMIN, run_id)).status === 'OK')
        await quiet(rig)
        expect(commits).toHaveLength(expected)
      },
      { policy: FLOW_POLICY },
    )
  })
})

describe('the commits of a call that is held, approved and executed', () => {
  test.each([
    ['without a dry run', 'book__note_again', 6],
    ['with a dry run', 'book__note', 7],
  ])('%s', async (_, tool, expected) => {
    await withGate(
      async (rig) => {
        await countFromHere(rig)
        const { call_id, approval_id } = pendingOf(await rig.call(tool, { text: 'held' }))
        valueOf(await approveShown(rig.gate, APPROVER, approval_id))
        expect((await rig.outcome(call_id)).status).toBe('executed')
        await quiet(rig)
        expect(commits).toHaveLength(expected)
      },
      { policy: ASKED },
    )
  })
})

async function countFromHere(rig: GateRig): Promise<void> {
  await quiet(rig)
  commits.splice(0)
}

/** Waits until nothing is committed any more: a slow disk delays the next commit as long as it likes. */
async function quiet({ opened }: GateRig): Promise<void> {
  await opened.lastCalls(10_000)
  for (let seen = -1; seen !== commits.length;) {
    await until(() => disk.busy === 0)
    seen = commits.length
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
}
