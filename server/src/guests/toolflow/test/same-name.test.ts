import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendRaw } from '../../../../test/helpers/send-raw.ts'
import { startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'

let gate: RunningGate & { stop(): Promise<void> }
let admin = ''
beforeAll(async () => {
  gate = await startGate()
  admin = await gate.key('admin', 'root', 'root')
})
afterAll(() => gate.stop())

/** As in server/test/security/same-name.test.ts: two keys with one name and different users are two callers. */
describe.each(['agent', 'user', 'reviewer', 'node'] as const)('of two `%s` keys with one name', (kind) => {
  const keyOf = async (user: string) =>
    String((await gate.http('POST', '/v1/keys', admin, { kind, name: 'claude', user })).body['key'])
  const flow = async (key: string, idempotency: string) => {
    const headers = { 'idempotency-key': idempotency }
    const body = { user_prompt: 'look around', args: { where: `flow ${kind}` } }
    const answer = await sendRaw(gate, key, { path: '/v1/toolflow?wait_ms=60000', headers, body })
    return String(answer.body['run_id'])
  }

  test('the other user`s key finds no flow of the first, and makes one of its own under the same idempotency key', async () => {
    const [ana, bob] = [await keyOf('ana'), await keyOf('bob')]
    const first = await flow(ana, `flow-${kind}`)
    expect(first).toMatch(/^run_/)
    const place = `/v1/toolflow/${first}`
    expect((await gate.http('GET', place, ana)).status).toBeLessThan(300)
    expect((await gate.http('GET', place, bob)).status).toBe(404)
    expect(await flow(ana, `flow-${kind}`)).toBe(first)
    const other = await flow(bob, `flow-${kind}`)
    expect(other).toMatch(/^run_/)
    expect(other).not.toBe(first)
  })
})
