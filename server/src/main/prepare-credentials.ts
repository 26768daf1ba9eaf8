import type { Config } from '../kernel/contract/config.ts'
import { LOCAL_OWNER } from '../kernel/contract/caller.ts'
import { ok, refuse, type Result } from '../kernel/contract/problems.ts'
import { listCredentials, type KeyRing } from '../kernel/identity/credentials.ts'
import { issueAdminKey } from './open-credentials.ts'

/** Whether only this machine can reach a listening address. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host)
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/

/**
 * Prepares credentials before the door opens. At the first start the owner gets an admin key. Beyond this machine the gate
 * listens only if somebody has a credential, or an issuer is configured: the owner's own key does not count.
 */
export async function prepareCredentials(
  ring: KeyRing,
  { listen, auth }: Pick<Config, 'listen' | 'auth'>,
  data: string,
): Promise<Result<{ readonly admin_key?: string }>> {
  const listed = await listCredentials(ring, LOCAL_OWNER)
  if (!listed.ok) return listed
  const isConfigured =
    auth.oidc.length > 0 || listed.value.some(({ state, caller }) => state === 'active' && caller.id !== LOCAL_OWNER.id)
  if (!isLoopback(listen.host) && !isConfigured) return refuse('auth.not_configured', { host: listen.host })
  if (listed.value.some(({ caller }) => caller.id === LOCAL_OWNER.id)) return ok({})
  const issued = await issueAdminKey(ring, data)
  return issued.ok ? ok({ admin_key: issued.value }) : issued
}
