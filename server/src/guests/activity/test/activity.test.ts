import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'

let gate: RunningGate & { stop(): Promise<void> }
const keys = { admin: '', second: '', ana: '', bob: '', anaHerself: '' }
type Call = { call_id: string; state: string; tool_id: string; effect: string; asked_by: { user: string } }

beforeAll(async () => {
  gate = await startGate()
  keys.admin = await gate.key('admin', 'root')
  keys.second = await gate.key('approver', 'second')
  keys.ana = await gate.key('agent', 'a', 'ana')
  keys.bob = await gate.key('agent', 'b', 'bob')
  keys.anaHerself = await gate.key('user', 'ana', 'ana')
})
afterAll(() => gate.stop())

const dispatch = async (key: string, tool: string, args: object = {}) =>
  (await gate.http('POST', '/v1/calls', key, { tool, args })).body
const calls = async (query: string, key = keys.admin) => {
  const { body } = await gate.http('GET', `/v1/calls?${query}`, key)
  return { items: body['items'] as Call[], next: body['next'] as number | undefined }
}
const packet = async (id: unknown) => (await gate.http('GET', `/v1/approvals/${String(id)}`, keys.admin)).body

describe('calls that happened', () => {
  test('are found by state, tool, caller, person, time and words, newest first', async () => {
    const before = Date.now()
    await dispatch(keys.ana, 'book__look')
    await dispatch(keys.bob, 'book__look')
    await dispatch(keys.ana, 'book__wipe', { text: 'x' })
    await dispatch(keys.ana, 'book__note', { text: 'buy Nordwind shares' })
    const after = Date.now()
    const seen = (items: readonly Call[]) =>
      items.map(({ tool_id, state, asked_by }) => `${asked_by.user} ${tool_id} ${state}`)
    expect(seen((await calls('')).items)).toEqual([
      'ana book__note pending',
      'ana book__wipe refused',
      'bob book__look executed',
      'ana book__look executed',
    ])
    expect(seen((await calls('state=refused')).items)).toEqual(['ana book__wipe refused'])
    expect(seen((await calls('state=executed&caller=agent%3Ab')).items)).toEqual(['bob book__look executed'])
    expect(seen((await calls('tool=book__look&user=ana')).items)).toEqual(['ana book__look executed'])
    expect(seen((await calls('q=nordwind')).items)).toEqual(['ana book__note pending'])
    expect(seen((await calls('q=nordwind+bob')).items)).toEqual([])
    expect((await calls(`since=${before}&until=${after}`)).items).toHaveLength(4)
    expect((await calls(`until=${before - 1}`)).items).toEqual([])
    expect((await calls(`since=${after + 1}`)).items).toEqual([])
    const first = await calls('limit=1&user=ana')
    const second = await calls(`limit=1&user=ana&after=${first.next}`)
    expect(seen([...first.items, ...second.items])).toEqual(['ana book__note pending', 'ana book__wipe refused'])
  })

  test('a person sees only calls made in their name, whatever the filter, and counts include no others', async () => {
    const own = await calls('limit=50', keys.anaHerself)
    expect(new Set(own.items.map(({ asked_by }) => asked_by.user))).toEqual(new Set(['ana']))
    expect((await calls('user=bob', keys.anaHerself)).items).toEqual([])
    expect((await calls('caller=agent%3Ab', keys.anaHerself)).items).toEqual([])
    expect((await gate.http('GET', '/v1/calls', keys.ana)).status).toBe(403)
    const foreign = (await calls('user=bob')).items[0]?.call_id ?? ''
    expect(await gate.http('GET', `/v1/calls/${foreign}/life`, keys.anaHerself)).toMatchObject({ status: 404 })
    const counted = async (key: string) => (await gate.http('GET', '/v1/overview?hours=1', key)).body['calls']
    expect([await counted(keys.anaHerself), await counted(keys.admin)]).toEqual([3, 4])
  })

  test('a text search does not find redacted secrets', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
    await dispatch(keys.bob, 'book__note', { text: `use ${secret} please` })
    expect((await calls(`q=${secret.slice(10, 30)}`)).items).toEqual([])
    expect((await calls('q=please&user=bob')).items).toHaveLength(1)
    expect(JSON.stringify(await calls('user=bob'))).not.toContain(secret)
  })

  test.each(['state=none', 'since=x', `q=${'a'.repeat(201)}`, 'after=x', 'tools=x'])('%s is refused', async (query) => {
    expect((await gate.http('GET', `/v1/calls?${query}`, keys.admin)).status).toBe(400)
  })

  test('one answer contains the whole history of a call', async () => {
    const { approval_id, call_id } = await dispatch(keys.ana, 'book__note', { text: 'whole life' })
    await gate.approve(approval_id, keys.admin)
    await gate.http('GET', `/v1/calls/${String(call_id)}?wait_ms=60000`, keys.ana)
    const { body } = await gate.http('GET', `/v1/calls/${String(call_id)}/life`, keys.admin)
    const moments = body['moments'] as { is: string; by?: string }[]
    expect(moments.map(({ is }) => is)).toEqual(['asked', 'judged', 'held', 'approved', 'judged', 'started', 'ended'])
    expect(moments.find(({ is }) => is === 'approved')?.by).toBe('admin:root')
    expect(body).toMatchObject({
      state: 'executed',
      arguments: '{"text":"whole life"}',
      risk: { class: expect.any(String) },
    })
  })
})

describe('a decision', () => {
  test('names the packet that was read: if it has changed, the decision is rejected with the current packet', async () => {
    const { approval_id } = await dispatch(keys.ana, 'book__note', { text: 'first words' })
    const read = await packet(approval_id)
    const path = `/v1/approvals/${String(approval_id)}/decide`
    const said = { decision: 'approve', digest: read['digest'], version: read['version'] }
    const other = await gate.http('POST', path, keys.admin, { ...said, digest: 'f'.repeat(64) })
    expect(other).toMatchObject({
      status: 409,
      body: { code: 'approval.changed', packet: { approval_id, state: 'pending' } },
    })
    const newer = await gate.http('POST', path, keys.admin, { ...said, version: 99 })
    expect(newer).toMatchObject({ status: 409, body: { code: 'approval.changed', packet: { version: 1 } } })
    expect((await gate.http('POST', path, keys.admin, said)).status).toBe(200)
    const late = await gate.http('POST', path, keys.second, said)
    expect(late).toMatchObject({
      status: 409,
      body: { code: 'approval.not_pending', packet: { decisions: [{ by: 'admin:root', says: 'approve' }] } },
    })
  })

  test('an edit can be judged before it is saved, without changing anything', async () => {
    const { approval_id } = await dispatch(keys.ana, 'book__note', { text: 'quiet' })
    const before = await packet(approval_id)
    const path = `/v1/approvals/${String(approval_id)}/edit-preview`
    expect(await gate.http('POST', path, keys.admin, { args: { text: 'quieter' } })).toMatchObject({
      status: 200,
      body: { effect: 'ask', changes: [{ at: '/text', before: 'quiet', after: 'quieter' }] },
    })
    const blocked = await gate.http('POST', path, keys.admin, { args: { text: 'SHOUT' } })
    expect(blocked).toMatchObject({ status: 200, body: { effect: 'block' } })
    expect((await gate.http('POST', path, keys.ana, { args: {} })).status).toBe(403)
    expect((await gate.http('POST', path, keys.admin, { args: { text: 7 } })).body['code']).toBe('call.args_invalid')
    expect(await packet(approval_id)).toEqual(before)
  })

  test('a packet says what happens, how risky it is, and what is not known', async () => {
    const { approval_id } = await dispatch(keys.ana, 'book__note', { text: 'x' })
    expect(await packet(approval_id)).toMatchObject({
      sentence: { button: expect.stringMatching(/^Approve and /) },
      risk: { class: expect.any(String), why: expect.arrayContaining([expect.any(String)]) },
      sources: [],
      changes: [],
      facts: { undo: { is: expect.any(String) }, read_back: { is: expect.any(String) } },
    })
  })

  test('a consent says what it would have covered last week', async () => {
    const { approval_id } = await dispatch(keys.bob, 'book__note', { text: 'again' })
    await dispatch(keys.bob, 'book__note', { text: 'and again' })
    const any = [{ path: '/text', op: 'any' }]
    const at = `/v1/approvals/${String(approval_id)}/consent-preview`
    const preview = (calls: number, args?: object[]) =>
      gate.http('POST', at, keys.admin, {
        remember: { calls, expires_in_s: 60, ...(args === undefined ? {} : { args }) },
      })
    expect((await preview(10)).body).toMatchObject({ covered: 1, complete: true })
    expect((await preview(10, any)).body).toMatchObject({ covered: 2 })
    expect((await preview(1, any)).body).toMatchObject({ covered: 1 })
    expect((await gate.http('POST', at, keys.anaHerself, { remember: { calls: 1, expires_in_s: 60 } })).status).toBe(
      403,
    )
  })

  test('approvals are filtered before they are paged', async () => {
    await dispatch(keys.bob, 'book__note', { text: 'in front' })
    await dispatch(keys.ana, 'book__note', { text: 'mine' })
    const { body } = await gate.http('GET', '/v1/approvals?limit=1', keys.anaHerself)
    expect(body['items']).toMatchObject([{ asked_by: { user: 'ana' } }])
  })
})
