import type { Caller, CallerKind } from '../contract/caller.ts'
import type { Tool } from '../contract/tool.ts'
import { couldPermit } from '../policy/possible-opinions.ts'
import type { Policy } from '../policy/policy.ts'
import { grantedTools } from '../identity/granted-tools.ts'
import type { Catalogue } from '../ports/catalogue.ts'

/** People who decide, review or administer are responsible for every tool, so they see every tool. */
const OVERSEERS: readonly CallerKind[] = ['admin', 'approver', 'reviewer']
/** How many callers' visible tools are cached. Beyond that, the least recently used is dropped. */
const MOST_CALLERS = 32

/**
 * The tools that a caller sees. A tool that the caller's key does not grant, of which every call would be blocked, or that nobody has
 * admitted yet, is missing from the caller's lists, search results and cards. A caller who calls a blocked one anyway gets the rule that
 * blocks it.
 * INVARIANT: what a caller sees depends only on the active policy, the caller and the tool.
 */
export interface VisibleTools {
  sees(caller: Caller, tool: Tool): boolean
  /** The tool with that id, if this caller sees it. */
  tool(caller: Caller, tool_id: string): Tool | undefined
  tools(caller: Caller): readonly Tool[]
}

type Seen = {
  readonly by: WeakMap<Tool, boolean>
  list?: { readonly of: readonly Tool[]; readonly seen: readonly Tool[] }
}

/** Evaluates the policy once per caller and tool, and again when one of them or the policy changes. */
export function createVisibleTools({
  catalogue,
  policy,
}: {
  readonly catalogue: Catalogue
  readonly policy: () => Policy
}): VisibleTools {
  let inForce: Policy | undefined
  const callers = new Map<string, Seen>()

  function seenBy(caller: Caller, now: Policy): Seen {
    if (now !== inForce) callers.clear()
    inForce = now
    const key = JSON.stringify(caller)
    const known = callers.get(key) ?? { by: new WeakMap() }
    callers.delete(key)
    callers.set(key, known)
    const [oldest] = callers.keys()
    if (callers.size > MOST_CALLERS && oldest !== undefined) callers.delete(oldest)
    return known
  }

  function sees(caller: Caller, tool: Tool): boolean {
    if (seesAll(caller)) return true
    const now = policy()
    const { by } = seenBy(caller, now)
    const known = by.get(tool)
    if (known !== undefined) return known
    const seen = isFor(now, caller, tool)
    by.set(tool, seen)
    return seen
  }

  return {
    sees,
    tool(caller, tool_id) {
      const tool = catalogue.tool(tool_id)
      return tool !== undefined && sees(caller, tool) ? tool : undefined
    },
    tools(caller) {
      const all = catalogue.tools()
      if (seesAll(caller)) return all
      const own = seenBy(caller, policy())
      if (own.list?.of !== all) own.list = { of: all, seen: all.filter((tool) => sees(caller, tool)) }
      return own.list.seen
    },
  }
}

const oversees = ({ kind }: Caller): boolean => OVERSEERS.includes(kind)
const seesAll = (caller: Caller): boolean => oversees(caller) && caller.grant === undefined

/** INVARIANT: a tool that nobody has admitted is seen only by those who can review it. */
const isFor = (policy: Policy, caller: Caller, tool: Tool): boolean =>
  grantedTools(caller)(tool.row.tool_id) &&
  (oversees(caller) ||
    (tool.executor === undefined && tool.row.admitted !== undefined && couldPermit(policy, caller, tool)))
