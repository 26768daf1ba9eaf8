import { setTimeout as sleep } from 'node:timers/promises'
import { isJsonObject, type JsonObject } from '../../kernel/contract/json.ts'
import { isNoAnswer, type SendToGate } from './send-to-gate.ts'

export type FoundOutcome = { readonly outcome: string; readonly call_id?: string }

const BACK_WITHIN_MS = 30_000
const EVERY_MS = 500
const OUTCOME_WITHIN_MS = 10_000
const NOT_BACK: readonly (number | undefined)[] = [502, 503, 504]

/** Looks up the outcome of a call whose answer was lost, by its idempotency key, once the gate is back. */
export async function callOutcome(sendToGate: SendToGate, key: string): Promise<FoundOutcome> {
  const until = Date.now() + BACK_WITHIN_MS
  const found = await askWhenBack(sendToGate, key, until)
  if (found === undefined) return { outcome: 'unknown' }
  return found['code'] === 'call.unknown' ? { outcome: 'never recorded' } : outcomeIn(found)
}

function outcomeIn({ status, outcome, code, call_id }: JsonObject): FoundOutcome {
  const word = outcome ?? code ?? status
  return {
    outcome: typeof word === 'string' ? word : 'unknown',
    ...(typeof call_id === 'string' ? { call_id } : {}),
  }
}

/** The gate's answer, or undefined if it is not back in time. */
async function askWhenBack(sendToGate: SendToGate, key: string, until: number): Promise<JsonObject | undefined> {
  const path = `/v1/calls/by-key/${encodeURIComponent(key)}?wait_ms=${OUTCOME_WITHIN_MS}`
  for (;;) {
    const reply = await sendToGate('GET', {}, undefined, { mayRepeat: true, onSent: () => {}, path })
    if (!isNoAnswer(reply)) {
      const body = await bodyOf(reply).catch(() => undefined)
      if (body !== undefined && (!NOT_BACK.includes(reply.statusCode) || body['outcome'] !== undefined)) return body
    }
    if (Date.now() >= until) return undefined
    await sleep(EVERY_MS)
  }
}

async function bodyOf(reply: AsyncIterable<unknown>): Promise<JsonObject> {
  const chunks: Buffer[] = []
  for await (const chunk of reply) chunks.push(chunk as Buffer)
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  return isJsonObject(body as never) ? (body as JsonObject) : {}
}
