import type { GateEvidence, ToolflowStatus } from './toolflow.ts'
import type { ToolflowState } from './state.ts'

const UNJUDGED: GateEvidence = {
  gate_status: null,
  total_score: null,
  risk_score: null,
  stale_score: null,
  source: 'the gate was not asked',
}

export type Ending = { readonly status: ToolflowStatus; readonly evidence: GateEvidence }

/** How a flow ends, once it cannot continue without a person. */
export function endingOf(state: ToolflowState): Ending {
  const status = statusOf(state)
  const evidence = state.judged?.evidence ?? UNJUDGED
  const isAsking = status === 'ASK' && evidence.gate_status === null
  return { status, evidence: isAsking ? { ...evidence, gate_status: 'ASK', source: 'toolflow' } : evidence }
}

function statusOf({ failure, call, candidates, chosen, judged }: ToolflowState): ToolflowStatus {
  if (failure !== null) return 'FAILED'
  if (call !== null) return STATUS_OF[call.status]
  if (candidates?.length === 0 && chosen === null) return 'NO_CANDIDATES'
  return judged === null ? 'ASK' : 'FAILED'
}

/** A call with an unknown outcome is not a success; a person settles it. */
const STATUS_OF = {
  not_reported: 'FAILED',
  executed: 'OK',
  failed: 'FAILED',
  refused: 'BLOCK',
  unknown: 'FAILED',
  pending: 'ASK',
  executing: 'FAILED',
} as const
