import type { CallRow, RecordedFacts } from '../contract/call.ts'
import type { Facts } from '../decide/facts.ts'
import { splitToolId } from './described-call.ts'
import type { RecordedCall } from './replay.ts'

/** The facts that the policy uses, to be stored with the call. */
export function judgedOf({ now, tool, tags, lane, labels, sandboxed, approvers }: Facts): RecordedFacts {
  const judged: { -readonly [Field in keyof RecordedFacts]: RecordedFacts[Field] } = {
    now,
    effects: tool.effects,
    risk: tool.risk,
  }
  if (tags !== undefined) judged.tags = tags
  if (lane !== undefined) judged.lane = lane
  if (labels !== undefined) judged.labels = labels
  if (sandboxed !== undefined) judged.sandboxed = sandboxed
  if (approvers !== undefined) judged.approvers = approvers
  return judged
}

/** A stored call with the facts of its time; undefined if they were not stored, so that the call cannot be judged again. */
export function recordedCall(row: CallRow): RecordedCall | undefined {
  const { judged, call_id, caller, canonical_args, thread, tool_id, server } = row
  if (judged === undefined) return undefined
  const { effects, risk, ...facts } = judged
  const definition = { name: splitToolId(tool_id).name, inputSchema: {} }
  const { definition_hash, idempotent } = row
  const toolRow = { v: 1, tool_id, server, definition, definition_hash, first_seen: 0, last_changed: 0 } as const
  return {
    call_id,
    call: { caller, canonical_args, thread },
    facts: { ...facts, tool: { row: toolRow, effects, effects_from: 'configured', risk, idempotent } },
    evidence: row.verdict.evidence,
  }
}
