import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { BROKE_OFF, UNREACHED, type GateResponse } from './client.ts'
import { invalidKey, isIdempotencyKey } from '../../kernel/contract/request-names.ts'
import { asBody, fieldsOf, textOf } from './print.ts'
import type { Cli } from './cli.ts'

export type OnceRequest = {
  readonly path: string
  readonly body: string
  /** The path below which the outcome can be looked up by key. */
  readonly outcomes: '/v1/calls' | '/v1/toolflow'
  /** The caller's own idempotency key; without one a new key is created. */
  readonly key?: string
}

/** How long to wait for a stopped gate to come back. */
const BACK_WITHIN_MS = 30_000
const EVERY_MS = 500
const OUTCOME_WITHIN_MS = 10_000
/** The gate is starting or stopping, or a proxy cannot reach it. */
const NOT_BACK: readonly number[] = [UNREACHED, BROKE_OFF, 502, 503, 504]

/**
 * Sends a call. When the gate goes away before it answers, asks for the outcome under the call's idempotency key.
 * INVARIANT: the call itself is sent once.
 */
export async function sendOnce(cli: Cli, { path, body, outcomes, key }: OnceRequest): Promise<GateResponse> {
  if (key !== undefined && !isIdempotencyKey(key)) return refusedKey()
  const sent_as = key ?? `cli-${randomUUID()}`
  const reply = await cli.send('POST', path, body, { 'idempotency-key': sent_as })
  const out = cli.out()
  const place = `${outcomes}/by-key/${encodeURIComponent(sent_as)}?wait_ms=${OUTCOME_WITHIN_MS}`
  if (fieldsOf(reply.body)['code'] === 'request.key_spent') {
    const earlier = await cli.send('GET', place)
    if (fieldsOf(earlier.body)['run_id'] === undefined) return reply
    out.error(`a request with this key was accepted before; outcome: ${outcomeIn(earlier)}; it was not retried`, 'held')
    return earlier
  }
  if (reply.status !== BROKE_OFF) return reply
  const seconds = BACK_WITHIN_MS / 1000
  out.error(`the gate stopped while the call was running; waiting up to ${seconds} s for the outcome`, 'held')
  const found = await askWhenBack(cli, place)
  out.error(`outcome: ${outcomeIn(found)}; the call was not retried`, 'held')
  if (found.status === BROKE_OFF && outcomes === '/v1/calls')
    out.error(`check later: sluice status --idempotency-key ${sent_as}`)
  return found
}

/** Such a key cannot be sent in a header, so it is rejected here, with the gate's own message. */
function refusedKey(): GateResponse {
  const body = asBody(invalidKey())
  return { status: 400, text: JSON.stringify(body), body }
}

/** Asks until the gate answers. `BROKE_OFF` if it does not come back in time. */
async function askWhenBack(cli: Cli, place: string): Promise<GateResponse> {
  const until = Date.now() + BACK_WITHIN_MS
  for (;;) {
    const reply = await cli.send('GET', place)
    // A failed call may have such a status too; its problem names the outcome.
    if (!NOT_BACK.includes(reply.status) || fieldsOf(reply.body)['outcome'] !== undefined) return reply
    if (Date.now() >= until) return { status: BROKE_OFF, text: '', body: undefined }
    await sleep(EVERY_MS)
  }
}

function outcomeIn({ status, body }: GateResponse): string {
  if (status === BROKE_OFF) return 'unknown, because the gate did not restart in time'
  const { code, status: word, outcome, state } = fieldsOf(body)
  if (code === 'call.unknown' || code === 'toolflow.unknown') return 'never recorded'
  const ran = fieldsOf(fieldsOf(state)['exec_result'])['status']
  return textOf(ran ?? outcome ?? code ?? word)
}
