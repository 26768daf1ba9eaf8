import type { ConsentRow, ConsentState, ConsentView } from '../contract/consent.ts'

export type UnitsLeft = { readonly calls: number; readonly cost?: number }

/** The current state of a consent. Only `active` ones can match. */
export function consentState(row: ConsentRow, left: UnitsLeft, now: number): ConsentState {
  if (row.revoked_at !== undefined) return 'revoked'
  if (now >= row.expires_at) return 'expired'
  return left.calls < 1 || (left.cost !== undefined && left.cost < 1) ? 'exhausted' : 'active'
}

export function consentView(row: ConsentRow, left: UnitsLeft, now: number): ConsentView {
  const { shelf: _, ...shown } = row
  return {
    ...shown,
    state: consentState(row, left, now),
    calls_left: left.calls,
    ...(left.cost === undefined ? {} : { cost_left: left.cost }),
  }
}
