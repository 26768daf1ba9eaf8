import type { TableEntry } from '../../kernel/changes/table-entry.ts'
import type { Happened } from '../../kernel/changes/changes-in.ts'
import type { ErasedUser, RestoredAt, RestoredEnding } from '../../kernel/changes/table-entry.ts'
import type { AuditEvent } from '../../kernel/contract/audit-events.ts'
import { visibleText } from '../../kernel/contract/visible-text.ts'
import type { Change } from '../../kernel/ports/ledger.ts'
import type { Stored } from '../../kernel/ports/reads.ts'
import { isoOf, maySeeFlow, swapFlow, type FlowPorts } from './flow-access.ts'
import { FLOW_CONSENTS_LISTED_BY, FLOWS_LISTED_BY, type FlowRow } from './flow-rows.ts'
import type { FlowScope } from './flows.ts'
import { givenBack } from './reserve-units.ts'
import { withRecord } from './run-moves.ts'

declare module '../../kernel/changes/changes-in.ts' {
  interface Happened {
    /** The vault and scope of a flow, of its run or of a proposal. */
    readonly flow_place?: { readonly vault_id: string; readonly scope: FlowScope }
  }
}
declare module '../../kernel/changes/table-entry.ts' {
  interface TopicNeeds {
    readonly flows: Pick<FlowPorts, 'flowSettings'>
  }
}

const flowTable: TableEntry<'flows'> = {
  table: 'flows',
  listed_by: FLOWS_LISTED_BY,
  topic: {
    kind: 'flow',
    happened,
    maySee: (needs, caller, { flow_place }) => flow_place !== undefined && maySeeFlow(needs, caller, flow_place),
  },
  restored: endedExecutions,
  erased: withoutNotes,
}

const flowConsentTable: TableEntry<'flow_consents'> = {
  table: 'flow_consents',
  listed_by: FLOW_CONSENTS_LISTED_BY,
  guarded: { id: 'consent_id', gives: true, passes: true },
  restored: endedConsent,
  grantOf(row, key, now) {
    if (row.minted_key !== key || row.revoked_at !== undefined || row.expires_at <= now) return undefined
    const says = visibleText(`executions in the flow run ${row.run_id} of ${row.flow_id}`)
    return { what: 'flow_consent', id: row.consent_id, says }
  },
}

export const FLOW_TABLES = [flowConsentTable, flowTable]

function happened(row: FlowRow, version: number): Happened | undefined {
  switch (row.is) {
    case 'head': {
      const { vault_id, flow } = row
      const change = { kind: 'flow' as const, about: 'procedure' as const, flow_id: flow.flow_id, version }
      return { change, flow_place: { vault_id, scope: flow.scope } }
    }
    case 'run': {
      const { vault_id, scope, flow_id, run_id, status: state } = row
      const change = { kind: 'flow' as const, about: 'run' as const, flow_id, run_id, state, version }
      return { change, flow_place: { vault_id, scope } }
    }
    case 'proposal': {
      const { vault_id, scope, proposal_id, body, state } = row
      const { flow_id, run_id } = body
      const change = { kind: 'flow' as const, about: 'proposal' as const, flow_id, run_id, proposal_id, state, version }
      return { change, flow_place: { vault_id, scope } }
    }
    default:
      // A version is written together with its procedure and never changes.
      return undefined
  }
}

const noted = (
  { now, by, trace }: RestoredAt,
  type: AuditEvent,
  subject: Readonly<Record<string, string>>,
): Change => ({
  kind: 'audit',
  entry: { at: now, type, actor: by, trace: trace(), subject },
})

function endedConsent({ row, version }: Stored<'flow_consents'>, at: RestoredAt): RestoredEnding | undefined {
  if (row.revoked_at !== undefined || row.expires_at <= at.now) return undefined
  const id = row.consent_id
  return {
    as: 'revoked',
    changes: [
      {
        kind: 'swap',
        table: 'flow_consents',
        id,
        from: version,
        to: { ...row, revoked_at: at.now, revoked_by: at.by },
      },
      noted(at, 'flow.consent_revoked', { run: row.run_id, consent: id }),
    ],
  }
}

/** The runs that executed them were cancelled, so nothing would end them. */
function endedExecutions({ row, version }: Stored<'flows'>, at: RestoredAt): RestoredEnding | undefined {
  if (row.is !== 'run') return undefined
  const running = row.executions.filter(({ status }) => status === 'running')
  if (running.length === 0) return undefined
  let next = row
  const units: Change[] = []
  for (const record of running) {
    const reserved_units = Math.max(1, record.cost_units)
    next = withRecord(next, {
      ...record,
      status: 'failed',
      reserved_units,
      completed_at: isoOf(at.now),
      reason: 'a backup was restored while it ran',
    })
    units.push(...givenBack(record, reserved_units))
  }
  const subject = { run: row.run_id, flow: `${row.flow_id}@${row.flow_version}` }
  return {
    as: 'failed',
    changes: [swapFlow(next, row.run_id, version), ...units, noted(at, 'flow.execution_ended', subject)],
  }
}

function withoutNotes({ row, version }: Stored<'flows'>, { user, callers }: ErasedUser): readonly Change[] {
  const to = noteless(row, user, callers)
  if (to === row) return []
  const id = to.is === 'proposal' ? to.proposal_id : to.is === 'run' ? to.run_id : undefined
  return id === undefined ? [] : [{ kind: 'swap', table: 'flows', id, from: version, to }]
}

function noteless(row: FlowRow, user: string, callers: ReadonlySet<string>): FlowRow {
  if (row.is === 'run') {
    const isTheirs = ({ by, note }: (typeof row.history)[number]) => note !== null && callers.has(by)
    if (!row.history.some(isTheirs)) return row
    return { ...row, history: row.history.map((item) => (isTheirs(item) ? { ...item, note: null } : item)) }
  }
  if (row.is !== 'proposal') return row
  const isNoted = row.note !== null && callers.has(row.evaluated_by ?? '')
  const isReasoned = (row.reason !== null || row.waived !== null) && callers.has(row.decided_by ?? '')
  const isIntended = row.proposer === user && row.intent !== ''
  if (!isNoted && !isReasoned && !isIntended) return row
  // That an evaluation was waived stays.
  const reasons = isReasoned ? { reason: null, waived: row.waived === null ? null : '' } : {}
  return { ...row, ...(isNoted ? { note: null } : {}), ...(isIntended ? { intent: '' } : {}), ...reasons }
}
