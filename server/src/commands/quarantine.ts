import type { Call } from '../contract/call.ts'
import type { PauseRow } from '../contract/pause.ts'
import type { Verdict } from '../contract/verdict.ts'
import type { Change, Shelves } from './ports.ts'

/**
 * Whoever springs a trap is stopped with the same commit that records it: a critical finding, and a pause of the caller that
 * only an admin lifts. INVARIANT: there is no committed sprung trap whose caller was free to go on afterwards.
 */
export async function quarantineChanges(
  { shelves }: { readonly shelves: Shelves },
  call: Call,
  verdict: Verdict,
  now: number,
): Promise<Change[]> {
  const sprung = verdict.evidence.filter(({ decider, effect }) => decider === 'trap' && effect === 'block')
  if (sprung.length === 0) return []
  const scope = `caller:${call.caller.id}` as const
  const traps = [...new Set(sprung.map(({ source }) => source))].join(', ')
  const finding: Change = {
    kind: 'audit',
    entry: {
      at: now,
      type: 'trap.sprung',
      actor: call.caller.id,
      trace: call.trace,
      subject: { call: call.call_id, tool: call.tool_id, thread: call.thread, scope },
      args_hash: call.args_hash,
      about: { severity: 'critical', traps },
    },
  }
  const held = await shelves.row('pauses', scope)
  const isStopped = held?.row.active === true && held.row.effect === 'block'
  // Stopped already: an admin who lifts that pause at this moment must not let the new finding slip through.
  if (isStopped) return [{ kind: 'expect', table: 'pauses', id: scope, version: held.version }, finding]
  const reason = `${call.call_id} sprang ${traps}`.slice(0, 300)
  const row: PauseRow = { v: 1, scope, effect: 'block', active: true, by: 'trap', reason, at: now }
  return [{ kind: 'swap', table: 'pauses', id: scope, from: held?.version ?? 'absent', to: row }, finding]
}
