import type { MiddlewareHandler } from 'hono'
import { STREAM_KINDS } from '../../kernel/contract/change.ts'
import { problem } from '../../kernel/contract/problems.ts'
import { invalidThread, isThreadName } from '../../kernel/contract/request-names.ts'
import { problemResponse } from './problem.ts'
import type { RouterEnv } from './door.ts'

const whole = (description: string) => ({ schema: { type: 'integer', minimum: 0 } as const, description })
const text = (description: string) => ({ schema: { type: 'string' } as const, description })

/** The query parameters. Each name has the same meaning on every route. */
const QUERY = {
  limit: whole('maximum number of items'),
  after: whole('the `next` value of the previous page'),
  from: whole('where to start'),
  last: whole('this many of the newest entries, oldest first'),
  length: whole('maximum number of characters'),
  since: whole('not before this time, in milliseconds'),
  until: whole('not after this time, in milliseconds'),
  hours: whole('only those of this many past hours'),
  wait_ms: whole('how long to wait for the end in milliseconds, at most 60000'),
  top_k: whole('maximum number of results'),
  q: text('what to search for, in plain words'),
  shared: text("`1` for the gate's own login, for servers with one login per user"),
  full: text('`1` for the full answer'),
  keep_grants: text('`1`: what it granted goes on'),
  tool: text('only those of the tool with this id'),
  agent: text('only those of the agent with this name: `agent=claude` is `caller=agent:claude`'),
  caller: text('only those of the caller with this id'),
  state: text('only those in this state; `all` for every one'),
  status: text('only those with this status'),
  kind: text('only those of this kind'),
  owner: text('only those of the caller with this id'),
  user: text('only those for this user'),
  thread: text('only those in this session'),
  session: text('the `thread` that the text enters; the idle session of the caller when left out'),
  parent: text('only those that this run started'),
  flow_id: text('only those of this flow'),
  run_id: text('only those of this run'),
  cursor: text('the `next_cursor` of the page before'),
  version: text('this version; the newest when left out'),
  vault_id: text('the vault; that of the credential, or `default`, when left out'),
  stream: text('the audit stream; `main` by default'),
  format: text('`jsonl` or `csv`'),
  kinds: text(`only these, with commas between: ${STREAM_KINDS.join(', ')}`),
  surface: text('what an MCP client sees: search, passthrough or auto'),
} as const
export type QueryName = keyof typeof QUERY

/** The parameters of a paged list. */
export const PAGED = ['limit', 'after'] as const satisfies readonly QueryName[]

type Described = { readonly path: string; readonly method: string; readonly query?: readonly QueryName[] }

/** A route's parameters for the OpenAPI document: the parts of its path, its query, and the key that makes a POST happen once. */
export function parametersOf({ path, method, query = [] }: Described) {
  const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path' as const,
    required: true,
    schema: { type: 'string' } as const,
  }))
  const asked = query.map((name) => ({ name, in: 'query' as const, ...QUERY[name] }))
  const schema = { type: 'string', minLength: 1, maxLength: 200 } as const
  const description = 'repeated requests with the same key and body are executed once'
  const once = { name: 'Idempotency-Key', in: 'header' as const, schema, description }
  return [...parts, ...asked, ...(method === 'post' ? [once] : [])]
}

const isWhole = (value: string) => /^\d{1,15}$/.test(value)

/** Rejects unknown query parameters, numbers that are not numbers, and cursors that no page returned. */
export function checksQuery(known: readonly QueryName[] = []): MiddlewareHandler<RouterEnv> {
  const faultOf = (name: string, values: readonly string[]): string | undefined => {
    const meant = known.find((one) => one === name)
    if (meant === undefined)
      return `${name}: unknown${known.length === 0 ? '; this route has no query parameters' : `; known are ${known.join(', ')}`}`
    if (values.length > 1) return `${name}: given more than once`
    if (meant === 'session' && !values.every(isThreadName)) return invalidThread().about['paths']
    return QUERY[meant].schema.type === 'integer' && !values.every(isWhole) ? `${name}: not a whole number` : undefined
  }
  return async (c, next) => {
    const asked = Object.entries(c.req.queries())
    const { after = [] } = c.req.queries()
    if (known.includes('after') && !after.every(isWhole))
      return problemResponse(problem('request.bad_cursor'), c.get('trace'))
    const paths = asked.flatMap(([name, values]) => faultOf(name, values) ?? []).join('; ')
    return paths === '' ? next() : problemResponse(problem('request.invalid', { paths }), c.get('trace'))
  }
}
