import { runKindEntry } from '../../kernel/runs/performer.ts'
import { agentPerformers, type AgentEffectPorts } from './agent-effects.ts'
import type { AgentState } from './state.ts'
import { agent } from './step.ts'

declare module '../../kernel/runs/performer.ts' {
  interface PerformerNeeds {
    readonly agent: AgentEffectPorts
  }
}

export const agentKind = runKindEntry(agent, {
  performers: agentPerformers,
  /** A thread between two messages does nothing by itself. */
  async restored(row, { journal }) {
    if (row.executing.length > 0 || row.in_memory !== undefined) return 'cancelled'
    // Written by this kind's own step.
    const { node, turn, queue } = row.state as AgentState
    if (node !== 'END' || turn !== null || queue.length > 0) return 'cancelled'
    return (await journal.events(row.run_id, row.cursor, 1)).length === 0 ? 'kept' : 'cancelled'
  },
})
