import type { Caller } from '../contract/caller.ts'
import { ok, type Result } from '../contract/problems.ts'
import type { Change, Committed } from '../ports/ledger.ts'
import { lostAt } from '../changes/unrecorded.ts'
import { provePasskeyFor, type PasskeyAbout, type PasskeyPorts, type ShownPasskey } from './passkeys.ts'
import { provePassphrase } from './passphrase.ts'

/** What somebody shows to prove that they are the person: one of the two, or nothing. */
export type ShownProof = {
  readonly passphrase?: string | undefined
  readonly passkey?: (ShownPasskey & { readonly about: PasskeyAbout }) | undefined
}

/** How the person was proven, and the changes to commit together with what they grant. */
export type ProvenPerson = {
  readonly by: 'role' | 'passphrase' | 'passkey'
  readonly passkey?: string
  readonly changes: readonly Change[]
}

/** For a request that turns out to give no permission. */
export const UNPROVEN: ProvenPerson = { by: 'role', changes: [] }

/**
 * The one proof for everything that gives permission in somebody's name: that it is the person, and not only their key. Whoever
 * has a passphrase or a passkey must use it; the configuration can require one of everybody.
 * INVARIANT: `changes` are committed with the grant, so a proof grants what it was given for, at most once for a passkey.
 */
export async function provePerson(deps: PasskeyPorts, by: Caller, shown: ShownProof): Promise<Result<ProvenPerson>> {
  const { passkey } = shown
  if (passkey === undefined) return provePassphrase(deps, by, shown.passphrase)
  const proven = await provePasskeyFor(deps, by, passkey, passkey.about)
  return proven.ok ? ok({ by: 'passkey', passkey: passkey.assertion.id, changes: proven.value }) : proven
}

/** Whether a commit was lost because the proof was used before, or is no longer valid. */
export function isLostToProof(
  { changes: proof }: ProvenPerson,
  changes: readonly Change[],
  committed: Committed,
): boolean {
  const lost = changes[lostAt(committed) ?? -1]
  return lost !== undefined && proof.includes(lost)
}
