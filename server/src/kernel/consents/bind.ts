import type { ConsentPreviewAnswer } from '../contract/activity.ts'
import type { Caller } from '../contract/caller.ts'
import type { ConsentRow, ConsentTerms, Remember } from '../contract/consent.ts'
import type { Result } from '../contract/problems.ts'
import type { ShownProof } from '../identity/prove-person.ts'
import type { Page } from '../ports/reads.ts'
import { listConsents, type ConsentPage, type ConsentReadDeps } from './list-consents.ts'
import { mintConsent, type MintAheadDeps } from './mint-consent.ts'
import { previewConsent, previewRemember, type ConsentPreviewDeps } from './preview-consent.ts'
import { revokeConsent } from './revoke-consent.ts'

export type ConsentsDeps = MintAheadDeps & ConsentReadDeps & ConsentPreviewDeps

export interface ConsentsGate {
  mint(caller: Caller, terms: ConsentTerms, proof?: ShownProof): Promise<Result<ConsentRow>>
  list(caller: Caller, page: Page): Promise<ConsentPage>
  /** Which recent calls these terms would have covered. */
  preview(caller: Caller, terms: ConsentTerms): Promise<Result<ConsentPreviewAnswer>>
  previewRemember(caller: Caller, approval_id: string, remember: Remember): Promise<Result<ConsentPreviewAnswer>>
  revoke(caller: Caller, consent_id: string): Promise<Result<ConsentRow>>
}

export const bindConsents = (deps: ConsentsDeps): ConsentsGate => ({
  mint: (caller, terms, proof = {}) => mintConsent(deps, caller, terms, proof),
  list: (caller, page) => listConsents(deps, caller, page),
  preview: (caller, terms) => previewConsent(deps, caller, terms),
  previewRemember: (caller, id, remember) => previewRemember(deps, caller, id, remember),
  revoke: (caller, id) => revokeConsent(deps, caller, id),
})
