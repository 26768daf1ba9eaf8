import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompactSign, SignJWT } from 'jose'
import { afterAll, expect, test } from 'vitest'
import type { HubReply } from './hub.ts'
import { checkpointKeyId, newCheckpointKey, privateKeyOf } from '../../adapters/keys/checkpoint-keys.ts'
import { openHubKeys, openPinnedKeys } from './hub-keys.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-hub-keys-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const REPLY: HubReply = {
  v: 1,
  says: 'approve',
  jti: 'j',
  iat: 1,
  exp: 2,
  node: 'edge-1',
  message: 'run_0000000000000001',
  nonce: 'a'.repeat(32),
  approval_id: 'auth_0000000000000001',
  hub_approval_id: 'auth_1111111111111111',
  tool: 's__t',
  definition_hash: '1'.repeat(64),
  args_hash: '2'.repeat(64),
  packet_digest: '3'.repeat(64),
  run: null,
  strength: 'simple',
  decider: 'approver:bob',
  decisions: [{ by: 'approver:bob', user: 'bob', at: 1 }],
}
const publicKeys = () => {
  const listed = keys.list()
  if (!listed.ok) throw new Error(listed.problem.code)
  return listed.value.keys
}
const signed = async () => {
  const word = await keys.sign(REPLY)
  if (!word.ok) throw new Error(word.problem.code)
  return word.value
}
const keys = openHubKeys(join(folder, 'keys'))

test('a decision signed by a pinned key is genuine; with another key, another type or other claims it is not', async () => {
  const [active] = publicKeys()
  const pinned = openPinnedKeys([active?.public_key ?? ''])
  expect(await pinned.read(await signed())).toMatchObject({ is: 'genuine', reply: REPLY, key: active?.key })
  const stranger = openPinnedKeys([newCheckpointKey().public])
  expect(await stranger.read(await signed())).toEqual({
    is: 'forged',
    why: 'a key that is not pinned',
    approval_id: REPLY.approval_id,
  })
  for (const text of ['', 'a.b.c', 'x'.repeat(20_000), `${await signed()}a`])
    expect(await pinned.read(text)).toMatchObject({ is: 'forged' })
})

test('the key in the header is not trusted, nor is `alg: none`, a shared secret or another type', async () => {
  const own = newCheckpointKey()
  const pinned = openPinnedKeys([own.public])
  const kid = checkpointKeyId(own.public)
  const sign = (header: object, key: Parameters<CompactSign['sign']>[0], body: unknown = REPLY) =>
    new CompactSign(new TextEncoder().encode(JSON.stringify(body)))
      .setProtectedHeader({ alg: 'EdDSA', typ: 'sluice-hub+jws', kid, ...header })
      .sign(key)
  expect(await pinned.read(await sign({}, privateKeyOf(own.seed)))).toMatchObject({ is: 'genuine' })
  const other = newCheckpointKey()
  const tries = [
    await sign({}, privateKeyOf(other.seed)),
    await sign({ typ: 'JWT' }, privateKeyOf(own.seed)),
    await sign({ alg: 'HS256' }, Buffer.from(own.public, 'hex')),
    await sign({}, privateKeyOf(own.seed), { ...REPLY, more: true }),
    await sign({}, privateKeyOf(own.seed), { ...REPLY, says: 'maybe' }),
    `${Buffer.from(JSON.stringify({ alg: 'none', typ: 'sluice-hub+jws', kid })).toString('base64url')}.${Buffer.from(JSON.stringify(REPLY)).toString('base64url')}.`,
    await new SignJWT({ ...REPLY }).setProtectedHeader({ alg: 'EdDSA', kid }).sign(privateKeyOf(own.seed)),
  ]
  for (const text of tries) expect(await pinned.read(text)).toMatchObject({ is: 'forged' })
})

test('a prepared key signs only after it was activated; the old one is retired', async () => {
  const [before] = publicKeys()
  expect(await keys.activate()).toMatchObject({ ok: false, problem: { code: 'hub.no_next_key' } })
  await keys.prepare()
  const next = publicKeys().find(({ state }) => state === 'next')
  expect(await keys.prepare()).toMatchObject({ ok: true })
  expect(publicKeys().filter(({ state }) => state === 'next')).toEqual([next])
  const old = openPinnedKeys([before?.public_key ?? ''])
  const both = openPinnedKeys([before?.public_key ?? '', next?.public_key ?? ''])
  expect(await old.read(await signed())).toMatchObject({ is: 'genuine' })
  await keys.activate()
  expect(await old.read(await signed())).toMatchObject({ is: 'forged', why: 'a key that is not pinned' })
  expect(await both.read(await signed())).toMatchObject({ is: 'genuine', key: next?.key })
  expect(publicKeys().map(({ state }) => state)).toEqual(['active', 'retired'])
})
