import type { MaybePromise } from '../../kernel/ports/runtime.ts'
import { CallerKind, DECIDING_KINDS, LOCAL_OWNER, type Caller } from '../../kernel/contract/caller.ts'
import type { NotedRefusal } from '../../kernel/audit/note-refusal.ts'
import type { LoginRow } from '../../kernel/identity/login.ts'
import { ok, refuse, specOf, type Result } from '../../kernel/contract/problems.ts'
import { csrfHeader, isOwnOrigin, loginSecret } from './login-cookie.ts'
import type { LoginRateLimit } from './login-rate-limit.ts'

const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/

/** What is known about the sender of a request: its headers, its address, and whether it came through the data folder's socket. */
export type RawRequest = {
  readonly local: boolean
  readonly remote: string
  /** The connection of the request. Later requests on it usually repeat its credential. */
  readonly connection?: object
  header(name: string): string | undefined
  /** Only where a browser's cookie is accepted. `passive`: only checks whether the login is still valid, and does not extend it. */
  readonly browser?: { readonly method: string; readonly passive?: true }
}

/** What is asked about callers. */
export type CallerPorts = {
  authenticate(key: string): Promise<Result<Caller>>
  /** Whether a caller that was authenticated by a key is still valid. False if this is not known: then it has to be authenticated again. */
  isStillAuthentic(caller: Caller): boolean
  /** `passive` reads it without extending it. */
  readLogin(secret: string, passive?: boolean): Promise<Result<LoginRow>>
  isCsrf(secret: string, given: string | undefined): boolean
  noteRefusal(refusal: NotedRefusal): Promise<void>
}

/** Identifies the caller. Both network doors use the same instance, so that wrong credentials are counted together. */
export type AuthenticateRequest = (raw: RawRequest) => MaybePromise<Result<Caller>>

/**
 * On the local socket the caller is the owner, who may also act with fewer rights (`x-sluice-as: agent:claude`). An
 * agent's stdio door uses this to get only the rights of an agent. Elsewhere a credential is required, and wrong ones are counted.
 */
export function callerIdentifier(
  gate: CallerPorts,
  failures: LoginRateLimit,
  /** Where browsers reach the gate, if it is configured. */
  publicUrl?: string,
): AuthenticateRequest {
  /** The last valid credential of each connection. Removed with the connection. */
  const lastGood = new WeakMap<object, Known>()

  async function identify(raw: RawRequest, authorization: string | undefined): Promise<Result<Caller>> {
    const bearer = /^Bearer\s+(\S+)$/i.exec(authorization ?? '')?.[1]
    if (raw.local) return callerOnSocket(gate, { authorization, bearer, as: raw.header('x-sluice-as') })
    const isBrowser = authorization === undefined && raw.browser !== undefined
    const secret = isBrowser ? loginSecret(raw.header, publicUrl) : undefined
    if (secret !== undefined) return callerOfLogin(gate, raw, secret)
    if (bearer === undefined) return refuse('auth.missing')
    const caller = await gate.authenticate(bearer)
    if (!caller.ok) return refusedCredential(raw.remote, caller)
    const { connection, remote } = raw
    if (connection !== undefined && authorization !== undefined)
      lastGood.set(connection, { authorization, remote, caller })
    return caller
  }

  /** An error of the issuer or the store does not count as a wrong credential. */
  async function refusedCredential(remote: string, refused: Refused): Promise<Result<Caller>> {
    if (specOf(refused.problem).http !== 401) return refused
    // If the store cannot count now, the credential is rejected like any other.
    const failure = await failures.failed(remote).catch(() => undefined)
    if (failure?.isLast === true) await gate.noteRefusal({ kind: 'limited', address: remote })
    return failure === undefined || failure.wait_s === 0
      ? refused
      : refuse('auth.too_many_failures', { retry_after_s: String(failure.wait_s) })
  }

  return (raw) => {
    const { connection, remote } = raw
    const authorization = raw.header('authorization')
    const known = connection === undefined ? undefined : lastGood.get(connection)
    const isRepeated = known !== undefined && known.authorization === authorization && known.remote === remote
    return isRepeated && gate.isStillAuthentic(known.caller.value) ? known.caller : identify(raw, authorization)
  }
}

type Refused = Extract<Result<Caller>, { ok: false }>

type Known = {
  readonly authorization: string
  readonly remote: string
  readonly caller: { readonly ok: true; readonly value: Caller }
}

/**
 * A browser sends its cookie with requests from any page. INVARIANT: such a request changes nothing unless it comes from a page
 * of this gate and contains the CSRF token. A request to read needs none, but if it has one, it is that of the cookie: somebody may have
 * replaced the cookie while the page was open.
 */
async function callerOfLogin(
  gate: CallerPorts,
  { browser, header }: RawRequest,
  secret: string,
): Promise<Result<Caller>> {
  const reads = browser?.method === 'GET' || browser?.method === 'HEAD'
  if (!isOwnOrigin(header)) return refuse('auth.csrf')
  const login = await gate.readLogin(secret, browser?.passive === true)
  if (!login.ok) return login
  const token = csrfHeader(header)
  const isUnbound = reads && token === undefined
  return isUnbound || gate.isCsrf(secret, token) ? ok(login.value.caller) : refuse('auth.csrf')
}

type OnSocket = Readonly<Record<'authorization' | 'bearer' | 'as', string | undefined>>

/** INVARIANT: a request with invalid credentials is never treated as the owner's. */
async function callerOnSocket(gate: CallerPorts, { authorization, bearer, as }: OnSocket): Promise<Result<Caller>> {
  if (authorization === undefined) return as === undefined ? ok(LOCAL_OWNER) : callerNamed(as)
  if (bearer === undefined) return refuse('auth.invalid', { authorization: 'write `Bearer` and a key' })
  if (as !== undefined)
    return refuse('auth.invalid', { as: 'a key and x-sluice-as name two callers: send one of them' })
  return gate.authenticate(bearer)
}

function callerNamed(as: string): Result<Caller> {
  const [kind, name = '', user = LOCAL_OWNER.user, ...more] = as.split(':')
  const known = CallerKind.safeParse(kind)
  if (!known.success || more.length > 0 || !NAME.test(name) || !NAME.test(user))
    return refuse('auth.invalid', { as: 'write kind:name or kind:name:user' })
  // One person at the socket must not count as several people.
  if (DECIDING_KINDS.includes(known.data) && user !== LOCAL_OWNER.user)
    return refuse('auth.invalid', { as: 'to decide as another person, use a key of theirs' })
  return ok({ kind: known.data, id: `${known.data}:${name}`, user })
}
