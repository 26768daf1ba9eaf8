import type { AuditEvent } from '../contract/audit-events.ts'
import type { Caller, CallerKind } from '../contract/caller.ts'
import { LOGIN_LIMITS, type LoginAnswer, type LoginRow } from './login.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { lostAt, refuseUnrecorded } from '../changes/unrecorded.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Stored, Tables } from '../ports/reads.ts'
import type { Clock, Digest, Ids } from '../ports/runtime.ts'
import { credentialState } from './credential-state.ts'

export type LoginPorts = {
  readonly tables: Tables
  readonly ledger: Ledger
  readonly digest: Digest
  readonly clock: Clock
  readonly ids: Pick<Ids, 'trace'>
  readonly newKey: (kind: CallerKind) => string
  readonly strong: 'role' | 'passphrase'
}

/** Kinds of people. A program does not need a cookie, and a browser must not use a program's key. */
const PEOPLE: readonly CallerKind[] = ['user', 'approver', 'reviewer', 'admin']
/** The row is written at most this often, however many requests a page makes. */
const NOTED_EVERY_MS = 60_000

/** The login that this browser has now, and what the new one uses up. */
export type LoginHere = {
  readonly current: string | undefined
  readonly uses?: Extract<Change, { kind: 'once' }>
}

/**
 * Logs somebody in: the secret goes into their cookie and is stored only as a digest.
 * INVARIANT: a login of one person never replaces that of another in the same browser. That person logs out first.
 */
export async function logIn(
  deps: LoginPorts,
  by: Caller,
  how: LoginRow['how'],
  { current, uses }: LoginHere,
): Promise<Result<{ readonly secret: string; readonly login: LoginRow }>> {
  if (!PEOPLE.includes(by.kind)) return refuse('auth.forbidden', { needs: PEOPLE.join(', ') })
  const here = current === undefined ? undefined : await readLogin(deps, current, true)
  if (here?.ok === true && here.value.user !== by.user)
    return refuse('auth.other_person', { here: here.value.user, new: by.user })
  const now = deps.clock()
  const secret = deps.newKey(by.kind)
  const longest = now + LOGIN_LIMITS.longest_ms
  const login: LoginRow = {
    v: 1,
    login_id: deps.digest(secret),
    // An issuer's token is accepted once; from then on the login counts, and it expires by itself.
    caller: how === 'oidc' ? { ...by, credential: { expires_at: longest } } : by,
    user: by.user,
    how,
    created_at: now,
    seen_at: now,
    expires_at: Math.min(longest, how === 'oidc' ? longest : (by.credential?.expires_at ?? longest)),
  }
  const oldest = (await liveLogins(deps, by.user)).slice(0, -LOGIN_LIMITS.per_user + 1)
  const recorded = await deps.ledger.commit([
    ...(uses === undefined ? [] : [uses]),
    { kind: 'swap', table: 'logins', id: login.login_id, from: 'absent', to: login },
    ...oldest.map((held) => ended(held, now)),
    auditOf(deps, 'login.started', by, { how }),
  ])
  if (recorded === 'committed') return ok({ secret, login })
  return uses !== undefined && lostAt(recorded) === 0 ? refuse('auth.login_unknown') : refuseUnrecorded(recorded)
}

/**
 * Whose cookie this is. Ended, expired, idle and unknown logins look the same from outside.
 * INVARIANT: a login with a key is invalid as soon as that key is.
 */
export async function readLogin(
  deps: Pick<LoginPorts, 'tables' | 'ledger' | 'digest' | 'clock'>,
  secret: string,
  /** Only reads: does not count as activity. */
  isPassive = false,
): Promise<Result<LoginRow>> {
  const held = await deps.tables.row('logins', deps.digest(secret))
  const now = deps.clock()
  if (held === undefined || !isLiveLogin(held.row, now)) return refuse('auth.logged_out')
  const { key } = held.row.caller.credential ?? {}
  const credential = key === undefined ? undefined : (await deps.tables.row('credentials', key))?.row
  if (key !== undefined && (credential === undefined || credentialState(credential, now) !== 'active'))
    return refuse('auth.logged_out')
  if (!isPassive && now - held.row.seen_at >= NOTED_EVERY_MS)
    // Another request may have recorded it already.
    await deps.ledger.commit([
      {
        kind: 'swap',
        table: 'logins',
        id: held.row.login_id,
        from: held.version,
        to: { ...held.row, seen_at: now },
      },
    ])
  return ok(held.row)
}

export const isLiveLogin = ({ ended_at, expires_at, seen_at }: LoginRow, now: number): boolean =>
  ended_at === undefined && expires_at > now && now - seen_at < LOGIN_LIMITS.idle_ms

/** Ends one login, or all of a person's, wherever they are. Returns how many. */
export async function logOut(
  deps: LoginPorts,
  by: Caller,
  which: { readonly secret: string } | 'all',
): Promise<Result<number>> {
  const now = deps.clock()
  const live = await liveLogins(deps, by.user)
  const ending = which === 'all' ? live : live.filter(({ row }) => row.login_id === deps.digest(which.secret))
  if (ending.length === 0) return ok(0)
  const about = { logins: ending.length }
  const recorded = await deps.ledger.commit([
    ...ending.map((held) => ended(held, now)),
    auditOf(deps, 'login.ended', by, about),
  ])
  if (recorded === 'committed') return ok(ending.length)
  // One of them was used at this moment, so its row changed.
  return typeof recorded === 'object' && 'lost' in recorded ? logOut(deps, by, which) : refuseUnrecorded(recorded)
}

/** Our own page repeats this in a header. Other pages can make the browser send the cookie, but they cannot read this. */
export const csrfOf = (digest: Digest, secret: string): string => digest(`csrf ${secret}`)

/** Digests are compared, so that the timing reveals nothing about the token. */
export const isCsrf = (digest: Digest, secret: string, given = ''): boolean =>
  digest(csrfOf(digest, secret)) === digest(given)

/** What a page needs to know about who is logged in. */
export async function describeLogin(
  deps: LoginPorts,
  caller: Caller,
  login?: { readonly secret: string; readonly row: LoginRow },
): Promise<LoginAnswer> {
  const { kind, id, user } = caller
  const passphrase = (await deps.tables.row('passphrases', user))?.row.sealed !== undefined
  const passkeys = await deps.tables.list('passkeys', { user }, { limit: 100 })
  return {
    caller: { kind, id, user },
    how: login?.row.how ?? 'credential',
    ...(login === undefined
      ? {}
      : { csrf: csrfOf(deps.digest, login.secret), expires_at: login.row.expires_at, idle_ms: LOGIN_LIMITS.idle_ms }),
    proofs: {
      passphrase,
      passkeys: passkeys.filter(({ row }) => row.revoked_at === undefined).length,
      needed: deps.strong === 'passphrase',
    },
  }
}

/** Oldest first. */
async function liveLogins({ tables, clock }: LoginPorts, user: string): Promise<readonly Stored<'logins'>[]> {
  const now = clock()
  const listed = await tables.list('logins', { user }, { limit: 200, newest_first: true })
  return listed.filter(({ row }) => isLiveLogin(row, now)).toReversed()
}

function ended({ row, version }: Stored<'logins'>, now: number): Change {
  return { kind: 'swap', table: 'logins', id: row.login_id, from: version, to: { ...row, ended_at: now } }
}

function auditOf(
  { clock, ids }: LoginPorts,
  type: AuditEvent,
  by: Caller,
  about: Record<string, string | number>,
): Change {
  const subject = { user: by.user }
  return { kind: 'audit', entry: { at: clock(), type, actor: by.id, trace: ids.trace(), subject, about } }
}
