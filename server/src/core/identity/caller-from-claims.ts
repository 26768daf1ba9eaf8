import type { OidcIssuer } from '../../contract/auth-settings.ts'
import { LOCAL_OWNER, type Caller, type CallerKind } from '../../contract/caller.ts'
import type { FlowRole } from '../../contract/flows.ts'
import { ok, refuse, type Result } from '../../contract/problems.ts'

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

/** The caller for a verified token. Claims that the configuration does not map grant nothing. */
export function callerFromClaims(issuer: OidcIssuer, claims: Claims): Result<Caller> {
  const fits = ({ claim, has }: { readonly claim: OidcIssuer['user']; readonly has: string }) =>
    holds(valueAt(claims, claim), has)
  const kinds = issuer.kinds.filter(fits).map(({ kind }) => kind)
  const kind = FIRST_OF.find((one) => kinds.includes(one))
  if (kind === undefined) return refuse('auth.unmapped')
  const user = userIn(issuer, claims)
  if (user === undefined) return refuse('auth.unmapped', { claim: pathOf(issuer.user).join('.') })
  const roles = issuer.flow_roles.filter(fits).map(({ role }) => role)
  const flow_role = HIGHEST_ROLE.find((one) => roles.includes(one))
  return ok({
    kind,
    // Key names contain no slash, so no key's caller has this id.
    id: `${kind}:${issuer.name}/${user}`,
    user: `${issuer.user_prefix}${user}`,
    ...(flow_role === undefined ? {} : { flow_role }),
  })
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
