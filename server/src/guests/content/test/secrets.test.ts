import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bytesBelow } from '../../../../test/live-files.ts'
import { ADMIN, AGENT, APPROVER, BOOK_TOOLS, pendingOf, withGate } from '../../../../test/helpers/with-gate.ts'

/** Assembled from parts, so that secret scanners do not report this file. */
const planted = (mark: string) => `ghp_${mark}${'aB3dE5gH7jK9mN1pQ2sT4vW6xY8z'.repeat(2)}`.slice(0, 40)

const SENDING = { server: { tools: { ...BOOK_TOOLS, note: { effects: ['write', 'external'] } } } }

describe('a planted secret', () => {
  test('in the arguments of a sending call is refused, and is neither on the disk nor in any answer', async () => {
    await withGate(async ({ gate, call, folder }) => {
      const secret = planted('A1')
      const outcome = await call('book__note', { text: `the key is ${secret}` })
      expect(outcome).toMatchObject({ status: 'refused', problem: { code: 'call.blocked' } })
      expect(JSON.stringify(outcome)).not.toContain(secret)
      expect(JSON.stringify(await gate.audit.page(undefined, 1, 1000))).not.toContain(secret)
      expect(bytesBelow(join(folder, 'data'))).not.toContain(secret)
    }, SENDING)
  })

  test('in a tool`s answer reaches neither the model nor the disk, even if the answer is huge', async () => {
    await withGate(
      async ({ call, folder }) => {
        const secret = planted('B2')
        const small = await call('book__echo', { text: `see ${secret}` })
        expect(JSON.stringify(small)).toContain('[REDACTED_')
        expect(JSON.stringify(small)).not.toContain(secret)
        const huge = await call('book__echo', { text: `${'x '.repeat(8000)}${secret}` })
        expect(huge).toMatchObject({ status: 'executed', output: { evicted: true } })
        expect(bytesBelow(join(folder, 'data', 'artifacts'))).not.toContain(secret)
      },
      { policy: 'rules: [{ id: all, effect: allow, says: everything runs }]' },
    )
  })

  test('in arguments that wait for a person is not shown to the person', async () => {
    const policy = 'rules: [{ id: ask, effect: ask, match: { tool: book__echo }, says: ask }]'
    await withGate(
      async ({ gate, call }) => {
        const secret = planted('C3')
        const held = pendingOf(await call('book__echo', { text: `use ${secret}`, to: 'ana@example.com' }))
        const packet = await gate.approvals.read(APPROVER, held.approval_id)
        expect(JSON.stringify(packet)).not.toContain(secret)
        // The decision depends on the recipient.
        expect(JSON.stringify(packet)).toContain('ana@example.com')
        expect(JSON.stringify(await gate.approvals.list(ADMIN, 'pending', { limit: 10 }))).not.toContain(secret)
        expect(JSON.stringify(await gate.calls.read(AGENT, held.call_id))).not.toContain(secret)
      },
      { policy },
    )
  })

  test('page tokens, ids and pictures are unchanged', async () => {
    await withGate(
      async ({ call }) => {
        const next = 'CjkKGjBpNDd2Nmp2Zml2cXRwYjBpOXA1fFRlc3QgMTIz'
        expect(JSON.stringify(await call('book__echo', { text: `{"next_page_token":"${next}"}` }))).toContain(next)
        expect(JSON.stringify(await call('book__picture'))).toContain(planted('D4'))
      },
      { policy: 'rules: [{ id: all, effect: allow, says: everything runs }]' },
    )
  })
})
