import type { ApprovalRow } from '../../kernel/contract/approval.ts'
import type { CallRow, CallState } from '../../kernel/contract/call.ts'
import type { RunId } from '../../kernel/contract/ids.ts'
import { beginRun } from '../../kernel/runs/begin-run.ts'
import { hubReport, newHubReport, OUTCOME_FOR_MS, waitsForHub } from './hub-report.ts'
import type { AttachedHub } from './ports.ts'
import type { Companion } from '../../kernel/changes/companions.ts'
import type { Change, Ledger } from '../../kernel/ports/ledger.ts'
import type { Tables } from '../../kernel/ports/reads.ts'
import type { Clock, Ids } from '../../kernel/ports/runtime.ts'
import { newRunChanges } from '../../kernel/runs/run-changes.ts'

export type ReportPorts = {
  readonly attachedHub: Pick<AttachedHub, 'answer_ms'> | undefined
  readonly ids: Pick<Ids, 'run'>
  readonly clock: Clock
  /** 32 hex digits. */
  readonly nonce: () => string
}

declare module '../../kernel/changes/companions.ts' {
  interface CompanionNeeds {
    readonly hub: ReportPorts
  }
}

const ENDED: ReadonlySet<CallState> = new Set(['executed', 'refused', 'failed', 'unknown'])

/** On a node: the runs that report to the hub that a call is held, and how it ends. */
export const hubReports = (deps: ReportPorts): Companion =>
  deps.attachedHub === undefined ? {} : { add: (changes) => changes.flatMap((change) => reportOf(deps, change)) }

function reportOf(deps: ReportPorts, change: Change): Change[] {
  if (change.kind !== 'swap') return []
  if (change.table === 'approvals' && change.from === 'absent') return requestRun(deps, change.to)
  return change.table === 'calls' ? outcomeRun(deps, change.to) : []
}

function requestRun(deps: ReportPorts, { call_id, approval_id }: ApprovalRow): Change[] {
  const at = deps.clock()
  const until = at + (deps.attachedHub?.answer_ms ?? 0)
  const first = newHubReport({ what: 'request', nonce: deps.nonce(), call_id, approval_id, at, until })
  return newRunChanges(beginRun(hubReport, deps.ids.run(), first, at))
}

function outcomeRun(deps: ReportPorts, { call_id, approval_id, state, due }: CallRow): Change[] {
  // A call that is still to be read back is reported when that is done.
  if (approval_id === undefined || !ENDED.has(state) || due !== undefined) return []
  const at = deps.clock()
  const report = { what: 'outcome', nonce: deps.nonce(), call_id, approval_id, at, until: at + OUTCOME_FOR_MS } as const
  return newRunChanges(beginRun(hubReport, deps.ids.run(), newHubReport(report), at))
}

const PAGE = 100

/** Requests that were held before this gate became a node are reported too. Returns how many. */
export async function reportEarlier(
  deps: ReportPorts & { readonly tables: Tables; readonly ledger: Ledger },
): Promise<number> {
  let reported = 0
  let after: number | undefined
  for (;;) {
    const page = await deps.tables.list(
      'approvals',
      { state: 'pending' },
      { limit: PAGE, ...(after === undefined ? {} : { after }) },
    )
    for (const { row } of page) {
      if ((await requestRunOf(deps.tables, row.approval_id)) !== undefined) continue
      await deps.ledger.commit(requestRun(deps, row))
      reported += 1
    }
    after = page.at(-1)?.cursor
    if (page.length < PAGE) return reported
  }
}

/** The run that reports a request to the hub. */
export async function requestRunOf(tables: Tables, approval_id: string): Promise<RunId | undefined> {
  const [held] = await tables.list('runs', { waits_for: waitsForHub(approval_id) }, { limit: 1 })
  return held?.row.run_id
}
