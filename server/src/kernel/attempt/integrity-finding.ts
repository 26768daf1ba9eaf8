import type { Call } from '../contract/call.ts'
import type { Problem } from '../contract/problems.ts'
import type { Verdict } from '../contract/verdict.ts'
import type { Change } from '../ports/ledger.ts'

/**
 * A call whose arguments are not the ones that were hashed is a security finding: a separate audit entry, besides the one that
 * records the blocked call, so that it can be searched for.
 */
export function integrityFinding(call: Call, { evidence }: Verdict, now: number): readonly Change[] {
  const rules = evidence.filter(({ decider, effect }) => decider === 'integrity' && effect === 'block')
  return rules.length === 0
    ? []
    : [
        findingOf(
          call,
          rules.map(({ rule }) => rule),
          now,
        ),
      ]
}

/** Why a held call does not start: the audit has no decision for it, or says that it already started. */
export const NOT_ON_RECORD = 'the audit'

/** The stored arguments of a held call no longer have the hash that was approved, or its rows contradict the audit. */
export function storedCallFinding(call: Call, { code, about }: Problem, now: number): readonly Change[] {
  if (code === 'approval.args_changed') return [findingOf(call, ['integrity.stored_args'], now)]
  return about['because'] === NOT_ON_RECORD ? [findingOf(call, ['integrity.not_on_record'], now)] : []
}

function findingOf(call: Call, rules: string[], now: number): Change {
  return {
    kind: 'audit',
    entry: {
      at: now,
      type: 'call.integrity_mismatch',
      actor: call.caller.id,
      trace: call.trace,
      subject: { call: call.call_id, tool: call.tool_id, thread: call.thread },
      args_hash: call.args_hash,
      about: { severity: 'high', rules },
    },
  }
}
