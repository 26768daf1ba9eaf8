import type { Gate } from '../../commands/gate.ts'
import { CallerKind, type Caller } from '../../contract/caller.ts'
import { ok, refuse, type Result } from '../../contract/problems.ts'

/** Whoever can open the data folder's socket owns the folder, and could read everything in it anyway. */
const OWNER: Caller = { kind: 'admin', id: 'admin:local', user: 'local' }

const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/

/** What a request shows of its sender: its headers, and whether it came by the data folder's own socket. */
export type Knock = { readonly local: boolean; header(name: string): string | undefined }

/**
 * Who is speaking. On the local socket the owner, who may also speak as somebody lesser (`x-sluice-as: agent:claude`): that is
 * how an agent's stdio door gets no more power than an agent. Everywhere else only a key counts.
 */
export async function callerOf(gate: Gate, request: Knock): Promise<Result<Caller>> {
  const bearer = /^Bearer\s+(\S+)$/i.exec(request.header('authorization') ?? '')?.[1]
  if (bearer !== undefined) return gate.authenticate(bearer)
  if (!request.local) return refuse('auth.missing')
  const as = request.header('x-sluice-as')
  return as === undefined ? ok(OWNER) : lesserCaller(as)
}

function lesserCaller(as: string): Result<Caller> {
  const [kind, name, user] = as.split(':')
  const known = CallerKind.safeParse(kind)
  if (!known.success || name === undefined || !NAME.test(name)) return refuse('auth.invalid', { as: 'write kind:name' })
  return ok({
    kind: known.data,
    id: `${known.data}:${name}`,
    user: user !== undefined && NAME.test(user) ? user : OWNER.user,
  })
}
