import { createRoute, type OpenAPIHono, type RouteConfig } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import type { z } from 'zod'
import type { Gate } from '../../commands/gate.ts'
import { readJson } from '../../commands/read-json.ts'
import type { Caller, CallerKind } from '../../contract/caller.ts'
import { problem } from '../../contract/problems.ts'
import { callerOf } from './caller-of.ts'
import { problemResponse } from './problem.ts'

/** What a handler finds in its context: the commands, who speaks, and under which trace. */
export type Variables = { gate: Gate; caller: Caller; trace: string }
/** `local` is true on the data folder's own socket, where whoever connects owns the folder. */
export type Bindings = { local: boolean }
export type Door = { Variables: Variables; Bindings: Bindings }
export type App = OpenAPIHono<Door>

/** Adds its routes to the app. */
export type Routes = (app: App, gate: Gate) => void

export const PEOPLE: readonly CallerKind[] = ['user', 'approver', 'reviewer', 'admin']
export const CALLERS: readonly CallerKind[] = ['agent', ...PEOPLE, 'node']
export const DECIDERS: readonly CallerKind[] = ['approver', 'admin']
export const ADMINS: readonly CallerKind[] = ['admin']

/** Kinds of caller by `METHOD path`, as declared by `route`. A route that is not here does not exist. */
export const ACCESS = new Map<string, readonly CallerKind[] | 'anyone'>()

type Description<Path extends string, Body extends z.ZodType> = {
  readonly method: 'get' | 'post' | 'delete'
  readonly path: Path
  readonly access: readonly CallerKind[] | 'anyone'
  readonly summary: string
  readonly body?: Body
}

/** Declares one route: who may use it, what it takes. The same declaration makes the OpenAPI document and the access matrix. */
export function route<Path extends string>(
  description: Omit<Description<Path, never>, 'body'>,
): ReturnType<typeof plain<Path>> {
  remember(description)
  return plain(description)
}

/** The same, for a route with a JSON body. */
export function routeWithBody<Path extends string, Body extends z.ZodType>(
  description: Description<Path, Body> & { readonly body: Body },
) {
  remember(description)
  return createRoute({
    ...shared(description),
    middleware: [requires(description.access), iJsonBody] as const,
    request: { body: { required: true, content: { 'application/json': { schema: description.body } } } },
  })
}

function plain<Path extends string>(description: Omit<Description<Path, never>, 'body'>) {
  return createRoute({ ...shared(description), middleware: [requires(description.access)] as const })
}

/** Lets through only the kinds of caller that the route declares. */
function requires(access: readonly CallerKind[] | 'anyone'): MiddlewareHandler<Door> {
  return async (c, next) => {
    if (access === 'anyone') return next()
    const caller = await callerOf(c.get('gate'), { local: c.env.local, header: (name) => c.req.header(name) })
    if (!caller.ok) return problemResponse(caller.problem, c.get('trace'))
    if (!access.includes(caller.value.kind)) {
      return problemResponse(problem('auth.forbidden', { needs: access.join(', ') }), c.get('trace'))
    }
    c.set('caller', caller.value)
    return next()
  }
}

/** JSON.parse keeps the last of two equal keys; here such a body is refused before anybody looks at it. */
const iJsonBody: MiddlewareHandler<Door> = async (c, next) => {
  const read = readJson(await c.req.text())
  return read.ok ? next() : problemResponse(read.problem, c.get('trace'))
}

function remember({
  method,
  path,
  access,
}: {
  method: string
  path: string
  access: readonly CallerKind[] | 'anyone'
}): void {
  ACCESS.set(`${method.toUpperCase()} ${path}`, access)
}

function shared<Path extends string>({ method, path, access, summary }: Omit<Description<Path, never>, 'body'>) {
  return {
    method,
    path,
    summary,
    description: access === 'anyone' ? 'Open to anyone.' : `For: ${access.join(', ')}.`,
    ...(access === 'anyone' ? {} : { security: [{ key: [] }] }),
    responses: { 200: { description: 'done' }, default: { description: 'a problem (RFC 9457)' } },
  } as const satisfies RouteConfig
}
