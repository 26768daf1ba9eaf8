import type { Call } from '../contract/call.ts'
import { GATE_PROTECTION_RULES, type Verdict } from '../contract/verdict.ts'
import type { Change } from '../ports/ledger.ts'

/** A call that targets the gate's own files or credentials leaves a critical finding, in the commit that records the call. */
export function findingIfGateTargeted(call: Call, verdict: Verdict, now: number): readonly Change[] {
  const rules = [
    ...new Set(
      verdict.evidence.flatMap(({ effect, rule }) =>
        effect === 'block' && GATE_PROTECTION_RULES.has(rule) ? [rule] : [],
      ),
    ),
  ]
  if (rules.length === 0) return []
  const entry = {
    at: now,
    type: 'gate.touched' as const,
    actor: call.caller.id,
    trace: call.trace,
    subject: { call: call.call_id, tool: call.tool_id, thread: call.thread },
    args_hash: call.args_hash,
    about: { severity: 'critical', rules: rules.join(', ') },
  }
  return [{ kind: 'audit', entry }]
}
