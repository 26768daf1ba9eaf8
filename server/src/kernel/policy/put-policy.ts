import type { PolicyPutBody } from '../contract/api.ts'
import type { Caller } from '../contract/caller.ts'
import type { PasskeyOptions } from '../identity/passkey.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { passkeyRequest, type PasskeyPorts } from '../identity/passkeys.ts'
import { provePerson } from '../identity/prove-person.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Site } from '../ports/keys.ts'
import type { Digest } from '../ports/runtime.ts'
import type { LivePolicy, Reloaded } from './live-policy.ts'
import { loadDraft } from './load-policy.ts'

/** Where the operator's policy is written. */
export interface PolicyStore {
  text(): string
  /** Replaces the text on disk. This alone does not activate it. */
  replace(text: string): Result<{ readonly undo: () => void }>
}

export type PutPolicyPorts = PasskeyPorts & {
  readonly live: LivePolicy
  readonly digest: Digest
  readonly catalogue: Catalogue
  readonly policyStore: PolicyStore
}

const ADMIN = { needs: 'admin' }
/** What somebody confirms with a passkey: this text, replacing that version. */
const confirmed = (digest: Digest, text: string, version: string) => digest(JSON.stringify(['policy', version, text]))

/** The active text, for editing. */
export function policyText(
  { live, policyStore }: PutPolicyPorts,
  caller: Caller,
): Result<{ readonly text: string; readonly version: string }> {
  if (caller.kind !== 'admin' && caller.kind !== 'approver')
    return refuse('auth.forbidden', { needs: 'admin, approver' })
  return ok({ text: policyStore.text(), version: live.current().version })
}

/**
 * Activates a draft.
 * INVARIANT: only a text that compiles replaces the one it was compared with, by an admin who proved their identity as for a
 * strong approval; it is recorded, or the file is restored.
 */
export async function putPolicy(
  deps: PutPolicyPorts,
  by: Caller,
  { text, version, passphrase, passkey }: PolicyPutBody,
  site: Site,
): Promise<Result<Reloaded>> {
  if (by.kind !== 'admin') return refuse('auth.forbidden', ADMIN)
  const draft = loadDraft(deps.digest, { text, file: 'the draft' }, deps.catalogue)
  if (!draft.ok) return draft
  if (deps.live.current().version !== version)
    return refuse('policy.changed', { in_force: deps.live.current().version })
  const about = { policy: confirmed(deps.digest, text, version) }
  const shown = passkey && { assertion: passkey, site, about }
  const proven = await provePerson(deps, by, { passphrase, passkey: shown })
  if (!proven.ok) return proven
  // The policy is a file, so the proof is used up before it is written.
  const spent = await deps.ledger.commit(proven.value.changes)
  if (isUnrecorded(spent)) return refuseUnrecorded(spent)
  if (spent !== 'committed') return refuse('request.replayed')
  // Checked again: the proof took a moment, and nothing is awaited between this and the replacement.
  if (deps.live.current().version !== version)
    return refuse('policy.changed', { in_force: deps.live.current().version })
  const replaced = deps.policyStore.replace(text)
  if (!replaced.ok) return replaced
  const reloaded = await deps.live.reload('request', by.id)
  if (!reloaded.ok) replaced.value.undo()
  return reloaded
}

/** For `navigator.credentials.get`: to activate this draft, and nothing else. */
export const policyPasskey = (
  deps: PutPolicyPorts,
  by: Caller,
  { text, version }: Pick<PolicyPutBody, 'text' | 'version'>,
  site: Site,
): Promise<Result<PasskeyOptions>> => passkeyRequest(deps, by, site, { policy: confirmed(deps.digest, text, version) })
