import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startGate, type RunningGate } from '../../helpers/with-running-gate.ts'

const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json')
const FILES = join(dirname(manifest), 'dist/index.js')
const CONTENT = 'the text of the note'

export type Published = RunningGate & { stop(): Promise<void>; readonly notes: () => string }
export const toolServer = (name: string) => resolve(import.meta.dirname, '../../tool-servers', name)

/** The usual filesystem server over the folder that also holds the gate's data, and a tool server with false annotations. */
export function startPublished(
  launcher: string,
  more: { readonly config?: object; readonly servers?: object } = {},
): Promise<Published> {
  return startGate(
    (folder) => {
      mkdirSync(join(folder, 'notes'))
      writeFileSync(join(folder, 'notes/a.txt'), CONTENT)
      writeFileSync(join(folder, 'rules.yaml'), 'preset: careful\nrules: []\n')
      symlinkSync('.sluice', join(folder, 'data-link'))
      symlinkSync('../.sluice/admin.key', join(folder, 'notes/key-link'))
      const shop = {
        command: 'node',
        args: [join(import.meta.dirname, 'shop-server.ts')],
        env: { EFFECTS: join(folder, 'effects.txt'), LEAK: join(folder, '.sluice/admin.key') },
        tools: {
          echo: { effects: ['read'] },
          leak: { effects: ['read'] },
          change: { effects: ['read'] },
          write_note: { effects: ['write'] },
        },
      }
      const files = { command: 'node', args: [FILES, folder], cwd: folder, trusted: true }
      const config = {
        listen: { port: 0 },
        mcp: { surface: 'passthrough' },
        policy: './rules.yaml',
        servers: { files, shop, ...more.servers },
        ...more.config,
      }
      writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(config))
    },
    ['up', '--trust'],
    launcher,
  ).then((gate) => ({ ...gate, notes: () => CONTENT }))
}

export type Names = Readonly<Record<string, string>>

/** Keys of everybody, and two held requests of one agent. The token belongs to the second. */
export async function prepare(gate: Published): Promise<Names> {
  const admin = readFileSync(join(gate.folder, '.sluice/admin.key'), 'utf8').trim()
  linkSync(join(gate.folder, '.sluice/admin.key'), join(gate.folder, 'notes/hard.txt'))
  const create = async (kind: string, name: string, user: string, more: object = {}) =>
    (await gate.http('POST', '/v1/keys', admin, { kind, name, user, ...more })).body as Record<string, string>
  const key = async (...words: Parameters<typeof create>) => (await create(...words))['key'] ?? ''
  const agent = await key('agent', 'a', 'ana')
  const user = await key('user', 'ana', 'ana')
  const approver = await key('approver', 'bob', 'bob')
  const expired = await key('approver', 'old', 'old', { ttl_s: 1 })
  const revoked = await create('approver', 'gone', 'gone')
  await gate.http('DELETE', `/v1/keys/${revoked['key_id']}`, admin)
  const hold = async (text: string) => {
    const asked = { tool: 'shop__write_note', args: { text }, thread: 'held' }
    const { body } = await gate.http('POST', '/v1/calls', agent, asked)
    const packet = await gate.http('GET', `/v1/approvals/${String(body['approval_id'])}`, approver)
    return { ...body, digest: packet.body['digest'] } as unknown as Record<string, string>
  }
  const [held, other] = [await hold('one'), await hold('two')]
  const minted = await gate.http('POST', `/v1/approvals/${other['approval_id']}/token`, user)
  await sleep(1_100) // the expired key has to expire
  const names = {
    folder: gate.folder,
    admin,
    agent,
    user,
    approver,
    expired,
    revoked: revoked['key'] ?? '',
    reviewer: await key('reviewer', 'rita', 'rita'),
    otherUser: await key('user', 'eve', 'eve'),
    sameName: await key('agent', 'a', 'eve'),
    held: held['approval_id'] ?? '',
    heldCall: held['call_id'] ?? '',
    digest: held['digest'] ?? '',
    other: other['approval_id'] ?? '',
    otherDigest: other['digest'] ?? '',
    token: String(minted.body['token']),
    forgedToken: String(minted.body['token']).replace(/[^.]+$/, '1b'.repeat(32)),
    agentFirst: agent.slice(0, 20),
    agentRest: agent.slice(20),
    agentBackwards: Array.from(agent).toReversed().join(''),
    agentInBase64: Buffer.from(agent).toString('base64'),
    agentAsApprover: agent.replace('agent', 'approver'),
  }
  const missing = Object.entries(names).filter(([, value]) => value === '' || value === 'undefined')
  if (missing.length > 0) throw new Error(`not prepared: ${missing.map(([name]) => name).join(', ')}`)
  return names
}

/** Replaces `{name}` in every text of a value. */
export function fill<T>(value: T, names: Names): T {
  const filled = JSON.stringify(value).replaceAll(/\{([a-zA-Z0-9]+)\}/g, (whole, name: string) => {
    const known = names[name]
    return known === undefined ? whole : JSON.stringify(known).slice(1, -1)
  })
  return JSON.parse(filled) as T
}
