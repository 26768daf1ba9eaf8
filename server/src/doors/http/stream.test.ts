import { OpenAPIHono } from '@hono/zod-openapi'
import { expect, test } from 'vitest'
import { ADMIN, AGENT, withGate } from '../../../test/gate/with-gate.ts'
import { ok } from '../../contract/problems.ts'
import type { Door } from './door.ts'
import { streamRoute } from './stream.ts'

const idsIn = (text: string) => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id ?? '')

test('a reader that does not read is told that it is too slow, and misses nothing when it comes back', () =>
  withGate(async ({ gate }) => {
    const app = new OpenAPIHono<Door>()
    app.use((c, next) => {
      c.set('doorman', async () => ok(ADMIN))
      return next()
    })
    streamRoute(app, gate, { stopping: new AbortController().signal, waiting_bytes: 1_500 })
    const env = { local: true, remote: '' }
    const slow = await app.request('/v1/stream?kinds=call', {}, env)
    const look = () =>
      gate.calls.dispatch({ caller: AGENT, tool: 'book__look', args: {}, trace: 'ab'.repeat(16), claimed: {} })
    for (let calls = 0; calls < 12; calls += 1) await look()
    const told = await slow.text()
    expect(told).toMatch(/event: goodbye\ndata: \{"reason":"too_slow"\}\n\n$/)
    const first = idsIn(told)
    expect(first.length).toBeLessThan(20)

    const again = await app.request('/v1/stream?kinds=call', { headers: { 'last-event-id': first.at(-1) ?? '' } }, env)
    const begun = await readSome(again)
    const numberOf = (id: string | undefined) => Number(id?.split('-')[1])
    expect(begun).not.toContain('event: reset')
    expect(numberOf(idsIn(begun)[0])).toBe(numberOf(first.at(-1)) + 1)
  }))

/** What is there at once. */
async function readSome(answer: Response): Promise<string> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes('event: ')) text += (await reader?.read())?.value ?? 'event: '
  await reader?.cancel()
  return text
}
