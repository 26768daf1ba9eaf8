import type { Outcome } from '../contract/call.ts'
import type { Problem, ProblemCode } from '../contract/problems.ts'

const FOR_NOW: readonly ProblemCode[] = ['audit.unavailable', 'audit.in_doubt', 'call.contended', 'gate.stopping']

/** A problem that may be gone a moment later: the driver of a run tries again. */
export const isTemporary = ({ code }: Problem): boolean => FOR_NOW.includes(code)

/** Rejected for a temporary reason. */
export const isForNow = (outcome: Outcome): boolean => outcome.status === 'refused' && isTemporary(outcome.problem)
