import type { AuditBroken } from '../contract/audit.ts'
import { problem, type Problem } from '../contract/problems.ts'
import type { CheckpointFile } from '../ports/audit.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Clock, Ids } from '../ports/runtime.ts'

export type NoteBrokenPorts = {
  readonly checkpointFile: CheckpointFile
  readonly ledger: Ledger
  readonly clock: Clock
  readonly ids: Pick<Ids, 'trace'>
}

/** The problem that every caller gets while the audit is broken. */
export function brokenProblem({ broken }: ReturnType<CheckpointFile['state']>): Problem | undefined {
  if (broken === undefined) return undefined
  const { stream, seq, says } = broken
  return problem('audit.broken', { stream, seq: String(seq), why: says })
}

/**
 * Stores, beside the keys, that the audit is broken and where: the first finding applies until an admin accepts it, even across a
 * restart. It is recorded in the audit too, after whatever is there.
 */
export async function noteBroken(deps: NoteBrokenPorts, { about }: Problem): Promise<void> {
  const found = { stream: about['stream'] ?? '', seq: Number(about['seq'] ?? 0), says: about['why'] ?? '' }
  await noteFound(deps, found)
}

export async function noteFound(deps: NoteBrokenPorts, found: Omit<AuditBroken, 'at'>): Promise<void> {
  const { broken, newest } = deps.checkpointFile.state()
  if (broken !== undefined) return
  const at = deps.clock()
  const saved = deps.checkpointFile.keep({ ...(newest === undefined ? {} : { newest }), broken: { at, ...found } })
  const subject = { stream: found.stream, seq: String(found.seq) }
  const entry = {
    at,
    type: 'audit.broken' as const,
    actor: 'gate',
    trace: deps.ids.trace(),
    subject,
    about: { says: found.says },
  }
  await Promise.all([saved, deps.ledger.commit([{ kind: 'audit', entry }])])
}
