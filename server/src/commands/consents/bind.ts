import type { Caller } from '../../contract/caller.ts'
import type { ConsentRow, ConsentTerms } from '../../contract/consent.ts'
import type { Result } from '../../contract/problems.ts'
import type { Page } from '../ports/reads.ts'
import { listConsents, type ConsentPage, type ConsentReadDeps } from './list-consents.ts'
import { mintConsent, type MintAheadDeps } from './mint-consent.ts'
import { revokeConsent } from './revoke-consent.ts'

export type ConsentsWorld = MintAheadDeps & ConsentReadDeps

export interface ConsentsGate {
  mint(caller: Caller, terms: ConsentTerms, passphrase?: string): Promise<Result<ConsentRow>>
  list(caller: Caller, page: Page): Promise<ConsentPage>
  revoke(caller: Caller, consent_id: string): Promise<Result<ConsentRow>>
}

export const bindConsents = (world: ConsentsWorld): ConsentsGate => ({
  mint: (caller, terms, passphrase) => mintConsent(world, caller, terms, passphrase),
  list: (caller, page) => listConsents(world, caller, page),
  revoke: (caller, id) => revokeConsent(world, caller, id),
})
