import { correctionTo, latestTime } from '../kernel/clock/latest-time.ts'
import { refuseUnrecorded } from '../kernel/changes/unrecorded.ts'
import { LOCAL_OWNER } from '../kernel/contract/caller.ts'
import { ok, type Result } from '../kernel/contract/problems.ts'
import type { ClockReport } from '../adapters/cli/gate-commands.ts'
import type { UpOptions } from '../adapters/cli/local-gate.ts'
import type { Store } from '../adapters/stores/open-store.ts'
import { existingData, settingsMeant } from './local-gate.ts'
import { randomIds } from './random-ids.ts'
import { storeOf } from './store-of.ts'
import { withIdleStore } from './with-idle-store.ts'

/**
 * Makes the clock of this machine the time of the gate, if the gate has seen a later time. Only the owner of the data folder can do this, and
 * only while no gate runs on it. `agrees` is asked with what will change.
 */
export async function correctClock(
  options: UpOptions,
  agrees: (report: ClockReport) => Promise<boolean>,
): Promise<Result<ClockReport>> {
  const settings = settingsMeant(options)
  if (!settings.ok) return settings
  const existing = existingData(options)
  if (!existing.ok) return existing
  return withIdleStore(storeOf(settings.value), async (store) => {
    const report = await reportOn(store)
    return report.from <= report.to || !(await agrees(report)) ? ok(report) : correct(store, report)
  })
}

async function correct(store: Store, report: ClockReport): Promise<Result<ClockReport>> {
  const entry = {
    at: report.to,
    type: 'clock.corrected' as const,
    actor: LOCAL_OWNER.id,
    trace: randomIds.trace(),
    subject: {},
    about: { from: new Date(report.from).toISOString(), to: new Date(report.to).toISOString() },
  }
  const changes = await correctionTo(store, report.to)
  const recorded = await store.ledger.commit([...changes, { kind: 'audit', entry }])
  return recorded === 'committed' ? ok({ ...report, corrected: true }) : refuseUnrecorded(recorded)
}

const PAGE = 500

/** What expired between the two times is valid again afterwards. */
async function reportOn({ tables, accounts, audit }: Store): Promise<ClockReport> {
  const { at: from } = await latestTime({ accounts, audit })
  const to = Date.now()
  const isBetween = (expires_at: number | undefined) =>
    expires_at !== undefined && expires_at > to && expires_at <= from
  const keys: string[] = []
  for (let after: number | undefined; ;) {
    const page = await tables.list('credentials', {}, { limit: PAGE, ...(after === undefined ? {} : { after }) })
    for (const { row } of page) if (row.revoked_at === undefined && isBetween(row.expires_at)) keys.push(row.caller.id)
    after = page.at(-1)?.cursor
    if (page.length < PAGE || after === undefined) break
  }
  let consents = 0
  for (let after: number | undefined; ;) {
    const page = await tables.list('consents', {}, { limit: PAGE, ...(after === undefined ? {} : { after }) })
    consents += page.filter(({ row }) => row.revoked_at === undefined && isBetween(row.expires_at)).length
    after = page.at(-1)?.cursor
    if (page.length < PAGE || after === undefined) break
  }
  return { from, to, keys, consents, corrected: false }
}
