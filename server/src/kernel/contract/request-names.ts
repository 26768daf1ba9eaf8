import { hasCredentialShape } from './credential-shape.ts'
import { problem, type Problem } from './problems.ts'

/**
 * The names that callers choose themselves. A bad one is rejected, never repaired: cutting it could make two names equal.
 * INVARIANT: none contains a credential of a gate, because names are stored, listed and exported as they are.
 */

/** The name of a session. No control, formatting or line-breaking characters, so that no page or log shows another name. */
const THREAD = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+$/u
const LONGEST_THREAD = 128

/** Visible ASCII, so that equal keys are equal bytes at every door. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,200}$/

export const isThreadName = (text: unknown): text is string =>
  typeof text === 'string' && text.length <= LONGEST_THREAD && THREAD.test(text) && !hasCredentialShape(text)

export const isIdempotencyKey = (text: unknown): text is string =>
  typeof text === 'string' && IDEMPOTENCY_KEY.test(text) && !hasCredentialShape(text)

export const invalidThread = (): Problem =>
  problem('request.invalid', {
    paths:
      'thread: 1 to 128 characters without control, formatting or line-breaking ones, and no key or approval token',
  })
export const invalidKey = (): Problem =>
  problem('request.invalid', {
    paths: 'idempotency-key: 1 to 200 visible ASCII characters without spaces, and no key or approval token',
  })
