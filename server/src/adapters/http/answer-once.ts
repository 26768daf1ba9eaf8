import { createHash } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import type { Caller } from '../../kernel/contract/caller.ts'
import { callerIdentity, grantIdentity } from '../../kernel/contract/caller-identity.ts'
import { problem } from '../../kernel/contract/problems.ts'
import { invalidKey, isIdempotencyKey } from '../../kernel/contract/request-names.ts'
import { problemResponse } from './problem.ts'
import type { Answer, Answers, RouterEnv, Kept } from './door.ts'

const HEADER = 'idempotency-key'
const MOST_ANSWERS = 2_000
const LONGEST_ANSWER = 65_536
/** Nothing was done, so the key may be used again, even with another body. */
const NOTHING_DONE: readonly number[] = [400, 401, 403, 413, 429, 503]

/**
 * A repeated POST with the same key and body gets the same answer as the first time.
 * INVARIANT: it is never executed twice. If the first answer is no longer kept, the caller is told so and has to look up the outcome.
 */
export const answerOnce =
  (answers: Answers): MiddlewareHandler<RouterEnv> =>
  async (c, next) => {
    const key = c.req.header(HEADER)
    // A signed callback has no caller, and brings its own id.
    const caller: Caller | undefined = c.get('caller')
    if (key === undefined || caller === undefined) return next()
    if (!isIdempotencyKey(key)) return problemResponse(invalidKey(), c.get('trace'))
    const place = JSON.stringify([callerIdentity(caller), key])
    // Equal requests of credentials that grant different things are not the same request.
    const request = createHash('sha256')
      .update(`${grantIdentity(caller)}\n${c.req.method} ${c.req.url}\n${await c.req.text()}`)
      .digest('hex')
    const kept = answers.get(place)
    if (kept !== undefined && kept !== 'released') {
      if (kept.request !== request) return problemResponse(problem('request.key_reused'), c.get('trace'))
      const answer = await kept.answer
      if (answer === 'not_kept') return problemResponse(problem('request.key_spent'), c.get('trace'))
      if (answer !== 'released') return replayed(answer)
    }
    const { promise, resolve } = Promise.withResolvers<Answer | 'released' | 'not_kept'>()
    keep(answers, place, { request, answer: promise })
    if (kept === undefined) {
      const claimed = await c.get('door').claimKey(caller, key)
      if (!claimed.ok || claimed.value === 'taken') {
        answers.delete(place)
        resolve(claimed.ok ? 'not_kept' : 'released')
        return problemResponse(claimed.ok ? problem('request.key_spent') : claimed.problem, c.get('trace'))
      }
    }
    await next()
    const { status, headers } = c.res
    if (NOTHING_DONE.includes(status)) {
      answers.set(place, 'released')
      return resolve('released')
    }
    const body = await c.res.clone().text()
    const isKept = body.length <= LONGEST_ANSWER
    return resolve(isKept ? { status, type: headers.get('content-type') ?? '', body } : 'not_kept')
  }

function keep(answers: Answers, place: string, kept: Kept): void {
  answers.delete(place)
  answers.set(place, kept)
  const oldest = answers.size > MOST_ANSWERS ? answers.keys().next().value : undefined
  if (oldest !== undefined) answers.delete(oldest)
}

function replayed({ status, type, body }: Answer): Response {
  return new Response(body, { status, headers: { 'content-type': type, 'idempotency-replayed': 'true' } })
}
