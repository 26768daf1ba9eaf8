import type { Gate } from '../../commands/gate.ts'
import { CallerKind, LOCAL_OWNER, type Caller } from '../../contract/caller.ts'
import { ok, PROBLEMS, refuse, type Result } from '../../contract/problems.ts'
import type { LoginRateLimit } from './login-rate-limit.ts'

const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/

/** What a request shows of its sender: its headers, its address, and whether it came by the data folder's own socket. */
export type Knock = {
  readonly local: boolean
  readonly remote: string
  header(name: string): string | undefined
}

/** Says who is speaking. Both network doors ask the same one, so that wrong credentials are counted together. */
export type Doorman = (knock: Knock) => Promise<Result<Caller>>

/**
 * On the local socket the owner speaks, who may also speak as somebody lesser (`x-sluice-as: agent:claude`): that is
 * how an agent's stdio door gets no more power than an agent. Everywhere else only a credential counts, and wrong ones are
 * counted.
 */
export function doorman(gate: Pick<Gate, 'authenticate' | 'noteRefusal'>, failures: LoginRateLimit): Doorman {
  return async (knock) => {
    const bearer = /^Bearer\s+(\S+)$/i.exec(knock.header('authorization') ?? '')?.[1]
    if (bearer === undefined) return knock.local ? ownerOr(knock.header('x-sluice-as')) : refuse('auth.missing')
    if (knock.local) return gate.authenticate(bearer)
    const retry_after_s = failures.wait(knock.remote, bearer)
    if (retry_after_s > 0) return refuse('auth.too_many_failures', { retry_after_s: String(retry_after_s) })
    const caller = await gate.authenticate(bearer)
    if (caller.ok) failures.passed(knock.remote, bearer)
    // What the issuer or the store could not answer is nobody's wrong credential.
    else if (PROBLEMS[caller.problem.code].http === 401 && failures.failed(knock.remote, bearer))
      await gate.noteRefusal({ kind: 'limited', address: knock.remote })
    return caller
  }
}

function ownerOr(as: string | undefined): Result<Caller> {
  if (as === undefined) return ok(LOCAL_OWNER)
  const [kind, name, user] = as.split(':')
  const known = CallerKind.safeParse(kind)
  if (!known.success || name === undefined || !NAME.test(name)) return refuse('auth.invalid', { as: 'write kind:name' })
  return ok({
    kind: known.data,
    id: `${known.data}:${name}`,
    user: user !== undefined && NAME.test(user) ? user : LOCAL_OWNER.user,
  })
}
