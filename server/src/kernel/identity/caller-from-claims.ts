import type { OidcIssuer } from '../contract/auth-settings.ts'
import { LOCAL_OWNER, PROGRAM_KINDS, type Caller, type CallerKind, type FlowRole } from '../contract/caller.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'

/**
 * If a token has several kinds, the first of these applies. A token for an agent or a node stays one, whatever its person may do;
 * among people's kinds the most powerful applies.
 * INVARIANT: a token that is also an agent's never decides.
 */
const FIRST_OF: readonly CallerKind[] = ['agent', 'node', 'admin', 'approver', 'reviewer', 'user']

/** If there are several flow roles, the first of these applies. */
const HIGHEST_ROLE: readonly FlowRole[] = ['admin', 'editor', 'viewer']

const USER = /^[^\s\p{C}]{1,96}$/u

type Claims = Readonly<Record<string, unknown>>

/** Where issuers write the OAuth client that a token was made for: OpenID Connect, RFC 9068, and two that use names of their own. */
const CLIENT_CLAIMS = ['azp', 'client_id', 'appid', 'cid'] as const

/** Whose token it is: what a person sends with a client of their own, what any other client sends, or what a login at the console got. */
export type TokenUse = 'access' | 'login'

/**
 * The caller for a verified token. Claims that the configuration does not map grant nothing.
 * INVARIANT: a person is only who logged in at the console, or whose access token was made for a listed client and for this gate alone.
 */
export function callerFromClaims(issuer: OidcIssuer, claims: Claims, use: TokenUse): Result<Caller> {
  const fits = ({ claim, has }: { readonly claim: OidcIssuer['user']; readonly has: string }) =>
    holds(valueAt(claims, claim), has)
  const kinds = issuer.kinds.filter(fits).map(({ kind }) => kind)
  const mapped = FIRST_OF.find((one) => kinds.includes(one))
  if (mapped === undefined) return refuse('auth.unmapped')
  const isProgram = PROGRAM_KINDS.includes(mapped)
  const kind = isProgram || use === 'login' || isPersonsToken(issuer, claims) ? mapped : 'agent'
  const user = userIn(issuer, claims)
  if (user === undefined) return refuse('auth.unmapped', { claim: pathOf(issuer.user).join('.') })
  // A person's role is not that of their agents.
  const roles = PROGRAM_KINDS.includes(kind) ? [] : issuer.flow_roles.filter(fits).map(({ role }) => role)
  const flow_role = HIGHEST_ROLE.find((one) => roles.includes(one))
  return ok({
    kind,
    // Key names contain no slash, so no key's caller has this id.
    id: `${kind}:${issuer.name}/${user}`,
    user: `${issuer.user_prefix}${user}`,
    ...(flow_role === undefined ? {} : { flow_role }),
  })
}

/** Every claim that names the client must name a listed one. Whatever is missing or unclear makes it an agent's token. */
function isPersonsToken({ audience, people_clients = [] }: OidcIssuer, claims: Claims): boolean {
  const named = CLIENT_CLAIMS.flatMap((name) => (claims[name] === undefined ? [] : [claims[name]]))
  const areListed = named.every((client) => typeof client === 'string' && people_clients.includes(client))
  const { aud, sub, act } = claims
  // Any other service in `aud` has received the token, too, and could send it here.
  const isForUsAlone = aud === audience || (Array.isArray(aud) && aud.length === 1 && aud[0] === audience)
  // `act`: a program that somebody let act for them. A client's own token (RFC 9068, 2.2) has the client as its subject.
  return named.length > 0 && areListed && isForUsAlone && act === undefined && !named.some((client) => client === sub)
}

function userIn({ user: claim, user_prefix }: OidcIssuer, claims: Claims): string | undefined {
  const value = valueAt(claims, claim)
  if (typeof value !== 'string' || !USER.test(value)) return undefined
  // An unverified address proves nothing about its owner.
  const isUnchecked = pathOf(claim).at(-1) === 'email' && claims['email_verified'] !== true
  return isUnchecked || `${user_prefix}${value}` === LOCAL_OWNER.user ? undefined : value
}

const pathOf = (claim: OidcIssuer['user']): readonly string[] => (typeof claim === 'string' ? [claim] : claim)

function valueAt(claims: Claims, claim: OidcIssuer['user']): unknown {
  return pathOf(claim).reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Record<string, unknown>)[name]
        : undefined,
    claims,
  )
}

const holds = (value: unknown, wanted: string) => value === wanted || (Array.isArray(value) && value.includes(wanted))
