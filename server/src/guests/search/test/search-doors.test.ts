import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'

let gate: RunningGate & { stop(): Promise<void> }
let agent = ''
beforeAll(async () => {
  gate = await startGate()
  agent = await gate.key('agent', 'a', 'ana')
})
afterAll(() => gate.stop())

test('finds a tool over HTTP and at the command line, with a reason, and rejects invalid queries', async () => {
  const { status, body } = await gate.http('GET', '/v1/tools/search?q=keep+a+note&top_k=2', agent)
  expect(status).toBe(200)
  const items = body['items'] as Record<string, unknown>[]
  expect(items).toHaveLength(2)
  expect(items[0]).toMatchObject({ skill_id: 'book__keep_note', title: 'Keep a note', tags: ['paper'] })
  expect(items[0]?.['reason']).toMatch(/^keep, note in name, title/)
  const shown = await gate.cli('search', 'keep', 'a', 'note', '--top-k', '2')
  expect(shown).toMatchObject({ code: 0 })
  expect(shown.out.split('\n')).toHaveLength(4)
  expect(shown.out).toMatch(/^SCORE.*\n\d\.\d\d +book__keep_note +Keep a note +keep, note in name/)
  const related = await gate.cli('search', 'retain', 'a', 'memo', '--top-k', '1')
  expect(related.out).toContain('note (related to memo) in name, description')
  for (const asked of ['q=', 'top_k=5', 'q=note&top_k=x', 'q=note&top_k=0'])
    expect(await gate.http('GET', `/v1/tools/search?${asked}`, agent)).toMatchObject({
      status: 400,
      body: { code: 'request.invalid' },
    })
  expect((await gate.cli('search', 'xylophone')).out).toMatch(
    /^nothing found; try other words, or list all tools with `.*sluice tools`\n$/,
  )
})
