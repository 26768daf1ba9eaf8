import { ok } from '../../kernel/contract/problems.ts'
import type { PrepareGuest } from '../../kernel/ports/prepare-guest.ts'
import { takeTurn } from './take-turn.ts'
import { agent } from './step.ts'
import { endApproval, type EndPorts } from '../../kernel/approvals/end-approval.ts'
import { everyRow } from '../../kernel/changes/every-row.ts'
import type { Liveness } from '../../kernel/ports/liveness.ts'
import type { Ids } from '../../kernel/ports/runtime.ts'

/** People write to the agents of documents. */
export const prepareAgent: PrepareGuest = ({ config, log }) =>
  ok({
    ports: { agentSettings: config.agent },
    open: (ports) => ({ ports: { takeTurn: (said) => takeTurn(ports, said) } }),
    async recover(ports) {
      const ended = await endVolatile(ports)
      if (ended.threads + ended.calls > 0)
        log('warn', 'threads that are not stored ended when their gate stopped', ended)
    },
  })

type EndVolatilePorts = EndPorts & { readonly liveness: Pick<Liveness, 'isAlive'>; readonly ids: Ids }

const OPEN = ['active', 'waiting', 'faulted'] as const

/**
 * After a start: ends threads that were kept in the memory of a process that no longer exists, and withdraws their held calls.
 */
async function endVolatile(deps: EndVolatilePorts): Promise<{ readonly threads: number; readonly calls: number }> {
  const lost = { threads: 0, calls: 0 }
  for (const status of OPEN)
    for await (const held of everyRow(deps.tables, 'runs', { kind: agent.kind, status })) {
      if (!(await isLost(deps, held.row))) continue
      const { waits_for: _, ...row } = held.row
      const now = deps.clock()
      const ended = await deps.ledger.commit([
        {
          kind: 'swap',
          table: 'runs',
          id: row.run_id,
          from: held.version,
          to: { ...row, status: 'cancelled', ended_at: now },
        },
        {
          kind: 'audit',
          entry: {
            at: now,
            type: 'agent.ended',
            actor: 'gate',
            trace: deps.ids.trace(),
            subject: { run: row.run_id, ...(row.thread === undefined ? {} : { thread: row.thread }) },
            outcome: 'not_stored',
          },
        },
      ])
      if (ended === 'committed') lost.threads += 1
    }
  for await (const held of everyRow(deps.tables, 'calls', { state: 'pending' })) {
    if (!(await isLost(deps, held.row))) continue
    const approval = await deps.tables.row('approvals', held.row.approval_id ?? '')
    if (approval !== undefined && (await endApproval(deps, approval, 'gate', 'withdraw')).ok) lost.calls += 1
  }
  return lost
}

/** Its memory is not here, and the process that had it no longer exists. */
async function isLost({ liveness }: EndVolatilePorts, row: { readonly in_memory?: string }): Promise<boolean> {
  const boot = row.in_memory?.split('/')[0]
  return boot !== undefined && !(await liveness.isAlive(boot))
}
