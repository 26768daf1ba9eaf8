import { describe, expect, test } from 'vitest'
import { CancelSwitch } from '../../kernel/ports/cancel.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import type { MessageId } from './messages.ts'
import type { OurRequest } from './our-request.ts'
import { lost, pendingCalls, type PendingCalls, type Sending } from './pending-calls.ts'

const LONG = 60_000

type Asked = { readonly id: MessageId; readonly reply: Promise<unknown>; readonly cancelled: string[] }

function ask(pending: PendingCalls, more: Partial<OurRequest<JsonObject>> = {}): Asked {
  const sent: MessageId[] = []
  const cancelled: string[] = []
  const sending: Sending = {
    send: (id) => sent.push(id) > 0,
    cancel(id, why) {
      cancelled.push(`${id} ${why}`)
      return { unsent: false }
    },
  }
  const reply = pending.run({ method: 'm', params: () => '{}', read: (result) => result, ...more }, sending)
  const [id] = sent
  if (id === undefined) throw new Error('nothing was sent')
  return { id, reply, cancelled }
}

const answer = (pending: PendingCalls, { id }: Asked, n: number) => pending.answer(id, { id, result: { n } }, 20)
const answered = (n: number) => ({ is: 'answered', result: { n } })

describe('requests in progress', () => {
  test('a late answer is never taken for the answer to the request that now uses the same place', async () => {
    const pending = pendingCalls({ name: 's', timeout_ms: LONG })
    const given_up = new CancelSwitch()
    const first = ask(pending, { signal: given_up })
    given_up.abort()
    expect(await first.reply).toMatchObject({ is: 'lost', problem: { code: 'tool.cancelled' } })
    const second = ask(pending)
    expect(second.id).not.toBe(first.id)
    answer(pending, first, 1)
    pending.spoil(first.id, lost('s', 'tool.garbled'))
    pending.end(first.id, lost('s', 'tool.broke_off'))
    expect([pending.late(), pending.isWaiting(first.id), pending.isWaiting(second.id)]).toEqual([2, false, true])
    answer(pending, second, 2)
    expect(await second.reply).toEqual(answered(2))
    // The old signal does not affect the request that now uses the place.
    const third = ask(pending)
    given_up.abort()
    answer(pending, third, 3)
    expect([await third.reply, third.cancelled]).toEqual([answered(3), []])
  })

  test('progress and log lines for an ended request are dropped, and a new request has its own rate limit', async () => {
    const pending = pendingCalls({ name: 's', timeout_ms: LONG })
    const received: number[][] = [[], []]
    const listen = (list: number) => ({
      onProgress: ({ progress }: { progress: number }) => void received[list]?.push(progress),
    })
    const first = ask(pending, listen(0))
    for (let progress = 0; progress < 500; progress += 1) pending.progress(first.id, { progress })
    answer(pending, first, 1)
    const second = ask(pending, listen(1))
    pending.progress(first.id, { progress: 1_000 })
    pending.progress(second.id, { progress: 2_000 })
    expect([received[0]?.includes(1_000), received[1]]).toEqual([false, [2_000]])
    answer(pending, second, 2)
    await Promise.all([first.reply, second.reply])
  })

  test('no id is used twice, in whatever order requests end', () => {
    const pending = pendingCalls({ name: 's', timeout_ms: LONG })
    const ids = new Set<string>()
    let open: Asked[] = []
    for (let n = 0; n < 2_000; n += 1) {
      const asked = ask(pending)
      expect(ids.has(asked.id)).toBe(false)
      ids.add(asked.id)
      open.push(asked)
      if (n % 7 === 0) {
        for (const one of open.filter((_, at) => at % 3 !== n % 3)) answer(pending, one, n)
        open = open.filter(({ id }) => pending.isWaiting(id))
      }
    }
    pending.endAll(lost('s', 'tool.broke_off'))
    expect(open.some(({ id }) => pending.isWaiting(id))).toBe(false)
  })

  test('one timer ends each of them when its own time is over', async () => {
    const pending = pendingCalls({ name: 's', timeout_ms: 40 })
    const first = ask(pending)
    await new Promise((resolve) => setTimeout(resolve, 20))
    const [second, third] = [ask(pending), ask(pending)]
    answer(pending, second, 2)
    expect(await first.reply).toMatchObject({ is: 'lost', problem: { code: 'tool.timeout' } })
    expect(await third.reply).toMatchObject({ is: 'lost', problem: { code: 'tool.timeout' } })
    const ends = [first, second, third].map(({ id, cancelled }) => cancelled.map((one) => one.replace(id, 'its own')))
    expect(ends).toEqual([['its own timeout'], [], ['its own timeout']])
    expect(await second.reply).toEqual(answered(2))
    const fourth = ask(pending)
    expect(await fourth.reply).toMatchObject({ is: 'lost', problem: { code: 'tool.timeout' } })
  })
})
