import { FACTORS, type ApprovalRow, type ApprovalState, type Factor } from '../contract/approval.ts'
import { problem, type Problem, type KernelProblemCode } from '../contract/problems.ts'
import { CLOCK_TOLERANCE_MS, TOKEN_LIFETIME_MS, type ApprovalToken } from './token.ts'

/** The facts at the moment of a redemption. Every fact is passed in as data; nothing presented by the caller is trusted. */
export type Redemption = {
  readonly approval: ApprovalRow | undefined
  readonly presented: {
    readonly approval_id: string
    /** Undefined if the text is not a token: such a text has no valid signature. */
    readonly token: ApprovalToken | undefined
    readonly thread: string
    readonly user: string
  }
  /** Recomputed from the arguments about to run. */
  readonly args_hash: string
  /** Whether the MAC matches the claims of the stored row. */
  readonly genuine: boolean
  /** Whether this approval and nonce were redeemed before. */
  readonly used: boolean
  readonly now: number
}

export type FactorCheck =
  { readonly ok: true } | { readonly ok: false; readonly failing: readonly Factor[]; readonly problem: Problem }

type Failure = { readonly factor: Factor; readonly code: KernelProblemCode }

/** How a redemption fails in a state other than `pending`. */
const BY_STATE: Readonly<Record<ApprovalState, Failure | undefined>> = {
  pending: undefined,
  approved: { factor: 'single_use', code: 'approval.used' },
  consumed: { factor: 'single_use', code: 'approval.used' },
  expired: { factor: 'expiry', code: 'approval.expired' },
  denied: { factor: 'id', code: 'approval.denied' },
  withdrawn: { factor: 'id', code: 'approval.withdrawn' },
  stale: { factor: 'id', code: 'approval.stale' },
  edited: { factor: 'id', code: 'approval.not_pending' },
}

/** A token from the future fails the same factor as an expired one: neither is valid at this time. */
function isOutOfTime(row: ApprovalRow, token: ApprovalToken | undefined, now: number): boolean {
  if (now >= row.expires_at) return true
  if (token === undefined) return false
  const issued = token.seconds * 1000
  return now >= issued + TOKEN_LIFETIME_MS || issued > now + CLOCK_TOLERANCE_MS
}

function failuresOf(row: ApprovalRow, { presented, args_hash, genuine, used, now }: Redemption): readonly Failure[] {
  const checks: readonly (Failure | false | undefined)[] = [
    presented.approval_id !== row.approval_id && { factor: 'id', code: 'approval.unknown' },
    BY_STATE[row.state],
    isOutOfTime(row, presented.token, now) && { factor: 'expiry', code: 'approval.expired' },
    args_hash !== row.args_hash && { factor: 'arguments', code: 'approval.args_changed' },
    (presented.token === undefined || !genuine) && { factor: 'signature', code: 'approval.signature_invalid' },
    used && { factor: 'single_use', code: 'approval.used' },
    presented.thread !== row.thread && { factor: 'thread', code: 'approval.wrong_thread' },
    presented.user !== row.caller.user && { factor: 'user', code: 'approval.wrong_user' },
  ]
  return checks.filter((check) => check !== undefined && check !== false)
}

/**
 * The seven factors of a redemption. Each is checked, even after another failed, and all that fail are listed in order; the
 * problem is that of the first. Without a row there is nothing to compare with, so only the id is listed.
 */
export function checkFactors(redemption: Redemption): FactorCheck {
  const { approval, presented } = redemption
  const failures: readonly Failure[] =
    approval === undefined ? [{ factor: 'id', code: 'approval.unknown' }] : failuresOf(approval, redemption)
  const failing = FACTORS.filter((factor) => failures.some((failure) => failure.factor === factor))
  const first = failures.find((failure) => failure.factor === failing[0])
  if (first === undefined) return { ok: true }
  const about = { factor: first.factor, factors: failing.join(', '), approval_id: presented.approval_id }
  return { ok: false, failing, problem: problem(first.code, about) }
}
