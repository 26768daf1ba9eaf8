import { flowRoleOf, PROGRAM_KINDS, type Caller, VaultId, type FlowRole } from '../../kernel/contract/caller.ts'
import { DEFAULT_VAULT, type FlowScope, type FlowSettings } from './flows.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { bad } from './bad-request.ts'
import { refuse } from './problems.ts'

const OF_ROLE: Readonly<Record<FlowRole, readonly FlowScope[]>> = {
  admin: ['personal', 'project', 'org'],
  editor: ['personal', 'project'],
  viewer: ['personal'],
}

/** What a caller may see, determined by its identity and the operator's grants only, never by the request. */
export function visibleScopes(caller: Caller, grants: FlowSettings['grants']): Result<readonly FlowScope[]> {
  const own = grants.filter(({ user }) => user === caller.user).map(({ scopes }) => [...new Set(scopes)].toSorted())
  const [first, ...others] = own
  if (first === undefined) return ok(OF_ROLE[flowRoleOf(caller)])
  const isAmbiguous = others.some((scopes) => scopes.join() !== first.join())
  return isAmbiguous ? refuse('FLOW_SCOPE_AMBIGUOUS', { user: caller.user }) : ok(first)
}

/** Undefined if the credential is bound to another vault: then everything in this one is reported as missing. */
export function vaultOf({ vault }: Caller, asked: string | undefined): Result<string | undefined> {
  if (asked !== undefined && !VaultId.safeParse(asked).success) return bad('Invalid vault id')
  if (vault === undefined) return ok(asked ?? DEFAULT_VAULT)
  return ok(asked === undefined || asked === vault ? vault : undefined)
}

/** Only people who may edit write procedures; programs only follow them. */
export function mayImport(caller: Caller, scope: FlowScope, visible: readonly FlowScope[]): Result<void> {
  if (PROGRAM_KINDS.includes(caller.kind) || flowRoleOf(caller) === 'viewer')
    return refuse('auth.forbidden', { needs: 'a person with the flow role editor or admin' })
  if (!visible.includes(scope)) return refuse('auth.forbidden', { needs: `the scope ${scope}` })
  return ok(undefined)
}
