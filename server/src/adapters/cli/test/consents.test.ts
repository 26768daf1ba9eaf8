import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'

let gate: RunningGate & { stop(): Promise<void> }
let agent = ''
let approver = ''
beforeAll(async () => {
  gate = await startGate()
  agent = await gate.key('agent', 'a', 'ana')
  approver = await gate.key('approver', 'bob')
})
afterAll(() => gate.stop())

const note = (text: string) => gate.http('POST', '/v1/calls', agent, { tool: 'book__note', args: { text } })
const terms = {
  actor: 'caller:agent:a',
  what: { tool: 'book__note', args: [{ path: '/text', op: 'equals', value: 'by http' }] },
  calls: 1,
  expires_in_s: 60,
}

describe('a consent at the HTTP door', () => {
  test('is minted, allows one call, shows what is left, and is revoked', async () => {
    const { status, body } = await gate.http('POST', '/v1/consents', approver, terms)
    expect({ status, body }).toMatchObject({ status: 201, body: { minted_by: 'approver:bob', calls: 1 } })
    expect(body).not.toHaveProperty('shelf')
    expect(await note('by http')).toMatchObject({ body: { status: 'executed' } })
    expect(await note('by http')).toMatchObject({ body: { status: 'pending' } })
    const listed = await gate.http('GET', '/v1/consents', approver)
    expect(listed.body['items']).toMatchObject([
      { consent_id: body['consent_id'], calls: 1, calls_left: 0, state: 'exhausted' },
    ])
    const revoked = await gate.http('DELETE', `/v1/consents/${String(body['consent_id'])}`, approver)
    expect(revoked).toMatchObject({ status: 200, body: { revoked_by: 'approver:bob' } })
    expect(await gate.http('DELETE', '/v1/consents/nothing', approver)).toMatchObject({
      status: 404,
      body: { code: 'consent.unknown' },
    })
  })

  test.each([
    ['no bound on calls', { ...terms, calls: undefined }],
    ['no end', { ...terms, expires_in_s: undefined }],
    ['no limits at all', { ...terms, what: { tool: '*', args: [{ path: '', op: 'any' }] } }],
    ['an unknown field', { ...terms, unlimited: true }],
  ])('with %s is refused', async (_, body) => {
    expect(await gate.http('POST', '/v1/consents', approver, body)).toMatchObject({
      status: 400,
      body: { code: 'request.invalid' },
    })
  })

  test('is not available to an agent', async () => {
    for (const [method, path, body] of [
      ['POST', '/v1/consents', terms],
      ['GET', '/v1/consents', undefined],
      ['DELETE', `/v1/consents/cons_${'0'.repeat(24)}`, undefined],
    ] as const)
      expect(await gate.http(method, path, agent, body)).toMatchObject({
        status: 403,
        body: { code: 'auth.forbidden' },
      })
  })

  test('is given with an approval, and cannot be requested with a denial', async () => {
    const { body: held } = await note('remember me')
    const path = `/v1/approvals/${String(held['approval_id'])}/decide`
    const remember = { calls: 1, expires_in_s: 60 }
    expect(await gate.http('POST', path, approver, { decision: 'deny', remember })).toMatchObject({ status: 400 })
    expect(await gate.approve(held['approval_id'], approver, { remember })).toMatchObject({
      body: { state: 'approved', consent: { actor: 'caller:agent:a', from_approval: held['approval_id'] } },
    })
    expect(await note('remember me')).toMatchObject({ body: { status: 'executed' } })
    expect(await note('remember me')).toMatchObject({ body: { status: 'pending' } })
  })
})

describe('a consent at the command line', () => {
  test('is minted, listed with what is left, and revoked', async () => {
    const words = ['caller:agent:a', 'book__note', '--calls', '2', '--for', '1h', '--arg', '/text prefix cli']
    const minted = await gate.cli('consent', 'mint', ...words)
    expect(minted).toMatchObject({ code: 0, out: expect.stringContaining('2 calls of book__note') as string })
    const id = /cons_[0-9a-f]{24}/.exec(minted.out)?.[0] ?? ''
    expect(await note('cli 1')).toMatchObject({ body: { status: 'executed' } })
    const covers = '`text` must start with "cli"; a call with any other argument is still held'
    expect(minted.out).toContain(covers)
    const listed = (await gate.cli('consent', 'list')).out
    expect(listed).toMatch(new RegExp(`${id} +active .*1 of 2`))
    expect(listed).toContain(covers)
    expect(await gate.cli('consent', 'revoke', id)).toMatchObject({ code: 0 })
    expect((await gate.cli('consent', 'list')).out).not.toContain(id)
    expect((await gate.cli('consent', 'list', '--all')).out).toMatch(new RegExp(`${id}.*revoked`))
    expect(await note('cli 2')).toMatchObject({ body: { status: 'pending' } })
  })

  test('takes exact arguments word for word', async () => {
    const words = ['user:ana', 'book__*', '--calls', '1', '--for', '30m', '--args', '{"text":"exact"}']
    expect(await gate.cli('consent', 'mint', ...words)).toMatchObject({ code: 0 })
    expect(await note('exact!')).toMatchObject({ body: { status: 'pending' } })
    expect(await note('exact')).toMatchObject({ body: { status: 'executed' } })
    const twice = ['user:ana', 'book__*', '--calls', '1', '--for', '30m', '--args', '{"a":1,"a":2}']
    expect(await gate.cli('consent', 'mint', ...twice)).toMatchObject({ code: 64 })
  })

  test('reports its own mistakes', async () => {
    const mint = (...words: string[]) => gate.cli('consent', 'mint', 'caller:agent:a', 'book__note', ...words)
    expect(await mint('--calls', '1', '--for', '1h')).toMatchObject({ code: 64 })
    expect(await mint('--calls', '1', '--for', 'ever', '--any-args')).toMatchObject({ code: 64 })
    expect(await mint('--calls', '1', '--for', '1h', '--any-args', '--arg', '/text any')).toMatchObject({ code: 64 })
    expect(await mint('--for', '1h', '--any-args')).toMatchObject({ code: 64 })
    expect(await mint('--calls', '0', '--for', '1h', '--any-args')).toMatchObject({ code: 64 })
  })

  test('is given with an approval', async () => {
    const { body: held } = await note('walk on')
    const id = String(held['approval_id'])
    expect(await gate.cli('approve', id, '--remember', 'always')).toMatchObject({ code: 64 })
    const approved = await gate.cli('approve', id, '--remember', '1 call for 10m')
    expect(approved).toMatchObject({
      code: 0,
      out: expect.stringContaining('permits caller:agent:a 1 call of') as string,
    })
    expect(await note('walk on')).toMatchObject({ body: { status: 'executed' } })
  })
})

describe('sluice keys revoke', () => {
  const mint = async (key: string) =>
    String((await gate.http('POST', '/v1/consents', key, { ...terms, calls: 3 })).body['consent_id'])
  const stateOf = async (id: string) => {
    const { items } = (await gate.http('GET', '/v1/consents', approver)).body as { items: Record<string, unknown>[] }
    return items.find((item) => item['consent_id'] === id)?.['state']
  }

  test('takes a name, shows with --dry-run what would end, and then ends it', async () => {
    const id = await mint(await gate.key('approver', 'leaver'))
    const dry = await gate.cli('keys', 'revoke', 'leaver', '--dry-run')
    expect(dry).toMatchObject({ code: 0 })
    expect(dry.out).toMatch(
      new RegExp(`^would end with it: 1\\s+consent +${id} +book__note for caller:agent:a, 3 of 3`),
    )
    expect(await stateOf(id)).toBe('active')
    const revoked = await gate.cli('keys', 'revoke', 'approver:leaver')
    expect(revoked.out).toMatch(/^key_[0-9a-f]{16} is revoked\nended with it: 1\n/)
    expect(await stateOf(id)).toBe('revoked')
    expect(await gate.cli('keys', 'revoke', 'leaver')).toMatchObject({ code: 64 })
  })

  test('keeps what was granted with --keep-grants, and says so in the audit', async () => {
    const id = await mint(await gate.key('approver', 'mover'))
    const revoked = await gate.cli('keys', 'revoke', 'mover', '--keep-grants')
    expect(revoked.out).toMatch(new RegExp(`\nnot affected: 1\n +consent +${id}`))
    expect(await stateOf(id)).toBe('active')
    const { items } = (await gate.http('GET', '/v1/audit?last=3', approver)).body
    expect(items).toContainEqual(expect.objectContaining({ type: 'key.revoked', about: { grants: 'kept' } }))
  })

  test('asks for the id if a name has several keys', async () => {
    for (let keys = 0; keys < 2; keys += 1) await gate.key('agent', 'twice')
    const refused = await gate.cli('keys', 'revoke', 'twice')
    expect(refused).toMatchObject({ code: 64 })
    expect(refused.out.match(/key_[0-9a-f]{16}/g)).toHaveLength(2)
    expect(refused.err).toContain('name one by its id')
  })
})
