import { Bug } from '../contract/problems.ts'
import type { CallerKind } from '../contract/caller.ts'
import type { Json } from '../contract/json.ts'
import type { RiskClass, ToolEffect } from '../contract/tool.ts'
import type { PolicyCall, PolicyFacts } from './policy.ts'

/** A call as rules see it, in readable form: the input of a test case and the output of a counterexample. */
export type DescribedCall = {
  readonly tool: string
  readonly effects: readonly ToolEffect[]
  readonly risk: RiskClass
  readonly tags?: readonly string[]
  readonly caller: string
  readonly role: CallerKind
  readonly user: string
  readonly args: Json
  readonly thread?: string
  /** Absent: the call has no lane. */
  readonly lane?: string
  readonly labels?: readonly string[]
  readonly sandboxed?: boolean
  readonly approvers?: number
  readonly now?: number
}

/** The call and facts for a description. */
export function callFrom(described: DescribedCall): { readonly call: PolicyCall; readonly facts: PolicyFacts } {
  const { tool, effects, risk, caller, role, user, args, thread = 'thread', now = 0 } = described
  const { server, name } = splitToolId(tool)
  const definition = { name, inputSchema: {} }
  const row = { v: 1, tool_id: tool, server, definition, definition_hash: '', first_seen: 0, last_changed: 0 } as const
  return {
    call: { caller: { id: caller, kind: role, user }, canonical_args: JSON.stringify(args), thread },
    facts: {
      now,
      tool: { row, effects, effects_from: 'configured', risk, idempotent: false },
      tags: described.tags ?? [],
      lane: described.lane ?? null,
      ...(described.labels === undefined ? {} : { labels: described.labels }),
      ...(described.sandboxed === undefined ? {} : { sandboxed: described.sandboxed }),
      ...(described.approvers === undefined ? {} : { approvers: described.approvers }),
    },
  }
}

/** Splits `server__tool`. Server names contain no `__`, so the first one separates. */
export function splitToolId(tool: string): { readonly server: string; readonly name: string } {
  const at = tool.indexOf('__')
  if (at < 0) throw new Bug(`\`${tool}\` is not a tool id`)
  return { server: tool.slice(0, at), name: tool.slice(at + 2) }
}
