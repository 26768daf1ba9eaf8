import type { Call, ToolResult } from '../../contract/call.ts'
import type { Json } from '../../contract/json.ts'
import { problem, type Problem } from '../../contract/problems.ts'
import type { Verification, ReadBack, Rollback } from '../../contract/standard.ts'
import type { Tool } from '../../contract/tool.ts'
import { toolIdOf } from '../../catalogue/definition.ts'
import type { Ready } from '../call-changes.ts'
import { sayExpectation } from './expectations.ts'
import { planReadBack } from './plan-read-back.ts'
import { canonicalJson } from '../../json/canonical.ts'
import { runReadBack, type AskDeps } from './read-back.ts'
import type { Digest } from '../../ports/runtime.ts'
import { rollbackFor } from './rollback.ts'

/** `result`: the answer of a dry run that failed. */
export type Checked =
  | { readonly is: 'ready'; readonly ready: Ready }
  | { readonly is: 'stopped'; readonly problem: Problem; readonly ready?: Ready; readonly result?: ToolResult }

/**
 * Backup and Check, for a call that may run: what would undo it, and whether its preconditions hold.
 * INVARIANT: a check that fails, or cannot be made, stops the call before it is marked `executing`.
 */
export function checkCall(deps: AskDeps, call: Call, tool: Tool, attempt: string): Checked | Promise<Checked> {
  return tool.rollback === undefined && tool.check === undefined
    ? UNCHECKED
    : prepareExecution(deps, call, tool, attempt)
}

/** For a call without checks and without a rollback, nothing is known before it starts. */
export const UNCHECKED: Checked = { is: 'ready', ready: { parts: {} } }

async function prepareExecution(deps: AskDeps, call: Call, tool: Tool, attempt: string): Promise<Checked> {
  const args: Json = JSON.parse(call.canonical_args)
  const { rollback } = await rollbackFor(deps, call, tool, { args })
  if (tool.check === undefined) return { is: 'ready', ready: readyWith(deps.digest, rollback, undefined) }
  const planned = planReadBack(tool.check, { args })
  const finding = planned.ok
    ? await runReadBack(deps, call, { part: 'check', attempt, plan: planned.plan })
    : unplanned(deps, call, tool.check, planned.says)
  if ('unrecorded' in finding) return { is: 'stopped', problem: finding.unrecorded, ready: { parts: {} } }
  const ready = readyWith(deps.digest, rollback, finding)
  if (finding.ok === true) return { is: 'ready', ready }
  return { is: 'stopped', problem: problem('call.check_failed', { says: finding.says }), ready }
}

/** A question that could not be asked because a value for it is missing. */
export function unplanned(
  deps: Pick<AskDeps, 'digest' | 'clock'>,
  call: Call,
  declared: ReadBack,
  why: string,
): Verification {
  const tool = toolIdOf(call.server, declared.tool, deps.digest)
  const expected = declared.expect.map(sayExpectation)
  return { ok: 'unknown', tool, says: `${tool}: ${why}`, expected, at: deps.clock() }
}

function readyWith(digest: Digest, rollback: Rollback | undefined, check: Verification | undefined): Ready {
  const about = {
    ...rollbackAbout(digest, rollback),
    ...(check === undefined ? {} : { check: { ok: check.ok, ...verificationOf(check) } }),
  }
  return {
    parts: {
      ...(rollback === undefined ? {} : { rollback }),
      ...(check === undefined ? {} : { evidence: { check } }),
    },
    ...(Object.keys(about).length === 0 ? {} : { about }),
  }
}

/** Which tool was asked, what was expected of its answer, and the answer's hash. */
export function verificationOf({ tool, expected, digest }: Verification) {
  return { asked: tool, expected: [...expected], ...(digest === undefined ? {} : { answer_hash: digest }) }
}

/** What would undo the call, for an audit entry: a tool and the hash of its arguments, or the operator's own words. */
export function rollbackAbout(digest: Digest, rollback: Rollback | undefined) {
  if (rollback === undefined) return {}
  if (rollback.is !== 'call') return { rollback: rollback.says }
  const { tool, args, open } = rollback
  const canonical = canonicalJson(args)
  return { rollback: { tool, ...(canonical.ok ? { args_hash: digest(canonical.value) } : {}), open: [...open] } }
}
