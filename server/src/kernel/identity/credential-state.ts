import type { CredentialRow } from '../contract/caller.ts'

export function credentialState(
  { revoked_at, expires_at }: Pick<CredentialRow, 'revoked_at' | 'expires_at'>,
  now: number,
): 'active' | 'expired' | 'revoked' {
  if (revoked_at !== undefined) return 'revoked'
  return (expires_at ?? Infinity) > now ? 'active' : 'expired'
}
