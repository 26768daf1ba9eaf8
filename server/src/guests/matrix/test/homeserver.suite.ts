import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../../test/free-port.ts'

const SECRET = 'register-secret-of-the-tests'
const SCRIPT = resolve(import.meta.dirname, '../../../../../scripts/get-synapse')

/** The folder of the installed homeserver. Undefined, with the reason printed, if this machine cannot run one. */
export function synapseRoot(): string | undefined {
  const cached = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'sluice-synapse')
  if (process.env['SLUICE_MATRIX'] !== 'whole' && !existsSync(join(process.env['SLUICE_SYNAPSE'] ?? cached, 'ready'))) {
    console.log('SKIPPED: no Matrix homeserver is installed; `npm run test:matrix` installs one and runs these tests')
    return undefined
  }
  const { stdout } = spawnSync(SCRIPT, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  const last = stdout.trim().split('\n').at(-1) ?? ''
  if (last.startsWith('/')) return last
  console.log(last)
  return undefined
}

export type Homeserver = {
  readonly url: string
  readonly name: string
  readonly version: string
  /** A new user: its id, password and access token. */
  register(name: string): Promise<MatrixUser>
  /** Starts it again after `stop`. */
  start(): Promise<void>
  stop(): Promise<void>
  close(): Promise<void>
}
export type MatrixUser = { readonly id: string; readonly password: string; readonly token: string }

/** A real Synapse on loopback, with SQLite, for the duration of a test. */
export async function startHomeserver(root: string): Promise<Homeserver> {
  const inside = mkdtempSync(join(root, 'tmp/sluice-'))
  const folder = inside.slice(root.length)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  mkdirSync(join(inside, 'media'))
  writeFileSync(join(inside, 'homeserver.yaml'), configuration(folder, port))
  writeFileSync(join(inside, 'log.yaml'), 'version: 1\nroot: { level: ERROR }\n')
  const python = ['/usr/bin/python3', '-m', 'synapse.app.homeserver', '-c', `${folder}/homeserver.yaml`]
  execFileSync('chroot', [root, ...python, '--generate-keys'], { stdio: ['ignore', 'ignore', 'inherit'] })
  let child: ReturnType<typeof spawn> | undefined
  const start = async () => {
    child = spawn('chroot', [root, ...python], { stdio: ['ignore', 'ignore', 'inherit'] })
    await until(async () => (await fetch(`${url}/health`)).ok)
  }
  const stop = async () => {
    const ended = new Promise((done) => child?.once('close', done))
    child?.kill('SIGTERM')
    // Synapse sometimes waits forever for its own threads.
    const killTimer = setTimeout(() => child?.kill('SIGKILL'), 10_000)
    await ended
    clearTimeout(killTimer)
  }
  await start()
  const version = execFileSync(
    'chroot',
    [root, '/usr/bin/python3', '-c', 'import synapse; print(synapse.__version__)'],
    {
      encoding: 'utf8',
    },
  ).trim()
  return {
    url,
    name: 'sluice.test',
    version,
    start,
    stop,
    async register(name) {
      const { nonce } = (await (await fetch(`${url}/_synapse/admin/v1/register`)).json()) as { nonce: string }
      const password = `pass-${name}-word`
      const mac = createHmac('sha1', SECRET).update([nonce, name, password, 'notadmin'].join('\0')).digest('hex')
      const made = await post(`${url}/_synapse/admin/v1/register`, undefined, {
        nonce,
        username: name,
        password,
        admin: false,
        mac,
      })
      return { id: String(made['user_id']), password, token: String(made['access_token']) }
    },
    async close() {
      await stop()
      rmSync(inside, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const configuration = (folder: string, port: number): string => `
server_name: sluice.test
pid_file: ${folder}/pid
listeners:
  - { port: ${port}, type: http, tls: false, bind_addresses: ['127.0.0.1'], resources: [{ names: [client] }] }
database: { name: sqlite3, args: { database: ${folder}/homeserver.db } }
log_config: ${folder}/log.yaml
media_store_path: ${folder}/media
signing_key_path: ${folder}/signing.key
registration_shared_secret: ${SECRET}
macaroon_secret_key: macaroon-secret-of-the-tests
form_secret: form-secret-of-the-tests
report_stats: false
suppress_key_server_warning: true
trusted_key_servers: []
${['message', 'registration', 'room_creation', 'admin_redaction'].map((name) => `rc_${name}: { per_second: 1000, burst_count: 1000 }`).join('\n')}
rc_login: { address: { per_second: 1000, burst_count: 1000 }, account: { per_second: 1000, burst_count: 1000 } }
rc_joins: { local: { per_second: 1000, burst_count: 1000 }, remote: { per_second: 1000, burst_count: 1000 } }
rc_invites: { per_room: { per_second: 1000, burst_count: 1000 }, per_user: { per_second: 1000, burst_count: 1000 } }
`

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (;;) {
    if (await isTrue().catch(() => false)) return
    await sleep(100)
  }
}

async function request(method: string, url: string, token: string | undefined, body?: object) {
  const answer = await fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const received = (await answer.json()) as Record<string, unknown>
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${JSON.stringify(received)}`)
  return received
}
const post = (url: string, token: string | undefined, body: object) => request('POST', url, token, body)

export type RoomMessage = {
  readonly event_id: string
  readonly sender: string
  readonly type: string
  readonly content: Readonly<Record<string, unknown>>
}

/** What a person does with a chat client, over the homeserver's own API. */
export function personAt({ url }: Homeserver, { token, id }: MatrixUser) {
  const client = `${url}/_matrix/client/v3`
  let sent = 0
  const send = async (room: string, type: string, content: object): Promise<string> => {
    const txn = `t${Date.now()}-${(sent += 1)}`
    const path = `${client}/rooms/${encodeURIComponent(room)}/send/${type}/${txn}`
    return String((await request('PUT', path, token, content))['event_id'])
  }
  const messages = async (room: string): Promise<readonly RoomMessage[]> => {
    const path = `${client}/rooms/${encodeURIComponent(room)}/messages?dir=b&limit=1000`
    return (await request('GET', path, token))['chunk'] as RoomMessage[]
  }
  return {
    id,
    send,
    messages,
    createRoom: async (invite: readonly string[]) =>
      String((await post(`${client}/createRoom`, token, { preset: 'private_chat', invite }))['room_id']),
    join: (room: string) => post(`${client}/join/${encodeURIComponent(room)}`, token, {}),
    say: (room: string, body: string) => send(room, 'm.room.message', { msgtype: 'm.text', body }),
    react: (room: string, to: string, key: string) =>
      send(room, 'm.reaction', { 'm.relates_to': { rel_type: 'm.annotation', event_id: to, key } }),
    /** The newest matching message, as soon as there is one. */
    async sees(room: string, fits: (message: RoomMessage) => boolean): Promise<RoomMessage> {
      for (;;) {
        const found = (await messages(room)).find(fits)
        if (found !== undefined) return found
        await sleep(50)
      }
    },
  }
}
export type Person = ReturnType<typeof personAt>
export const bodyOf = ({ content }: RoomMessage): string => (typeof content['body'] === 'string' ? content['body'] : '')
