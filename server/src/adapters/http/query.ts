import type { Context } from 'hono'
import type { Page } from '../../kernel/ports/reads.ts'
import type { Reader } from '../../kernel/sessions/enter-session.ts'
import type { Door } from './door.ts'

/** A whole number from the query; anything else is the default. */
export function numberOf(c: Context, name: string, otherwise: number): number {
  const text = c.req.query(name)
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : otherwise
}

export const MOST_ITEMS = 200

export function pageOf(c: Context): Page {
  const after = c.req.query('after')
  const limit = Math.min(Math.max(1, numberOf(c, 'limit', 50)), MOST_ITEMS)
  return { limit, ...(after === undefined ? {} : { after: numberOf(c, 'after', 0) }) }
}

/** The caller, and the session named in the query. */
export function readerOf(c: Context<Door>): Reader {
  const thread = c.req.query('session')
  return { caller: c.get('caller'), ...(thread === undefined ? {} : { thread }) }
}

/** A page of a list that is in memory; the cursor counts its items. */
export function pageIn<T>(c: Context, all: readonly T[], most: number): { items: readonly T[]; next?: number } {
  const from = numberOf(c, 'after', 0)
  const to = from + Math.min(Math.max(1, numberOf(c, 'limit', most)), most)
  return { items: all.slice(from, to), ...(to < all.length ? { next: to } : {}) }
}

/** A path parameter that the router matched. */
export const partOf = (c: Context, name: string): string => c.req.param(name) ?? ''
