import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import type { Page } from '../../kernel/ports/reads.ts'

type Query = Readonly<Partial<Record<string, string>>>

/** A whole number from the query; anything else is the default. */
export function numberIn(query: Query, name: string, otherwise: number): number {
  const text = query[name]
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : otherwise
}

/** The id of the caller that the query names, whole or by the name of an agent. */
export function callerIn({ agent, caller }: Query): Result<string | undefined> {
  if (agent !== undefined && caller !== undefined)
    return refuse('request.invalid', { paths: 'agent: name either an agent or a caller' })
  return ok(agent === undefined ? caller : `agent:${agent.replace(/^agent:/, '')}`)
}

export const MOST_ITEMS = 200

export function pageIn(query: Query): Page {
  const limit = Math.min(Math.max(1, numberIn(query, 'limit', 50)), MOST_ITEMS)
  return { limit, ...(query['after'] === undefined ? {} : { after: numberIn(query, 'after', 0) }) }
}

/** A page of a list that is in memory; the cursor counts its items. */
export function pageOfList<T>(query: Query, all: readonly T[], most: number): { items: readonly T[]; next?: number } {
  const from = numberIn(query, 'after', 0)
  const to = from + Math.min(Math.max(1, numberIn(query, 'limit', most)), most)
  return { items: all.slice(from, to), ...(to < all.length ? { next: to } : {}) }
}
