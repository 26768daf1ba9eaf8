import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filesBelow } from '../../../../test/live-files.ts'
import type { LoginStore } from '../server-login.ts'
import type { ToolReply } from '../../../kernel/ports/upstream.ts'
import { openLoginStore } from '../server-logins.ts'
import { openServerLogins, type OpenServerLogins } from '../open-server-logins.ts'
import { openToolServers } from '../../../adapters/upstream/open-tool-servers.ts'
import type { HttpServer } from '../../../adapters/upstream/server-kind.ts'
import type { OpenToolServers } from '../../../adapters/upstream/tool-server-status.ts'
import { logInAs } from './person.suite.ts'
import { SERVER_KINDS } from '../../../main/server-kinds.ts'

/** The address of the gate. Nothing listens there; the test passes the callback on. */
export const BASE = 'http://127.0.0.1:7999'

export type LoginRig = {
  readonly servers: OpenToolServers
  readonly logins: OpenServerLogins
  readonly logged: string[]
  readonly listed: string[]
  readonly files: () => string
  /** Logs in with a browser, up to the callback to the gate. */
  readonly browse: (name: string, user?: string) => Promise<URL>
  readonly logIn: (name: string, user?: string) => ReturnType<OpenServerLogins['finish']>
  readonly call: (tool: string, user?: string, args?: object) => Promise<ToolReply>
  readonly state: () => string | undefined
}

export const serverAt = (url: string, login: Partial<HttpServer['login']> = {}): HttpServer => ({
  name: 'notes',
  url,
  headers: {},
  timeout_ms: 10_000,
  concurrency: 16,
  output_limit: 65_536,
  trusted: true,
  login: { per: 'gate', configured: true, ...login },
})

export type LoginRigOptions = {
  readonly server: HttpServer
  readonly folder?: string
  readonly clock?: () => number
  readonly timeout_ms?: number
  readonly store?: (store: LoginStore) => LoginStore
}

export async function withLogins(options: LoginRigOptions, use: (rig: LoginRig) => Promise<void>): Promise<void> {
  const { server, clock = Date.now, timeout_ms = 5_000 } = options
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'sluice-oauth-'))
  const store = openLoginStore(folder)
  const logged: string[] = []
  const listed: string[] = []
  const logins = openServerLogins({
    store: options.store?.(store) ?? store,
    clock,
    base: () => BASE,
    warn: (name, says) => void logged.push(`${name} ${says}`),
    onSecrets: () => undefined,
    timeout_ms,
  })
  const servers = openToolServers({
    kinds: SERVER_KINDS,
    servers: [server],
    logins,
    tuning: { grace_ms: 200, restart: { base_ms: 10, cap_ms: 50 } },
    onListed: async (_, definitions) => void listed.push(...definitions.map(({ name }) => name)),
    log: ({ server: name, says }) => void logged.push(`${name} ${says}`),
  })
  const browse: LoginRig['browse'] = async (name, user) => {
    const started = await logins.start({ server: server.name, user }, 'user:tester')
    if (!started.ok) throw new Error(JSON.stringify(started.problem))
    const ticket = started.value.url.slice(started.value.url.lastIndexOf('/') + 1)
    const page = logins.page(ticket)
    if (!page.ok) throw new Error(JSON.stringify(page.problem))
    const ended = await logInAs(name, page.value.authorization_url, (url) => url.origin === BASE)
    last_secret = page.value.secret
    return new URL(ended.url)
  }
  let last_secret = ''
  const rig: LoginRig = {
    servers,
    logins,
    logged,
    listed,
    files: () =>
      filesBelow(folder)
        .map(({ bytes }) => bytes.toString())
        .join('\n'),
    browse,
    logIn: async (name, user) => {
      const back = await browse(name, user)
      return logins.finish({ ...Object.fromEntries(back.searchParams), secrets: [last_secret] })
    },
    call: (tool, user, args = {}) =>
      servers.call({
        server: server.name,
        tool,
        canonical_args: JSON.stringify(args),
        idempotency_key: 'key-1',
        trace: 'trace-1',
        ...(user === undefined ? {} : { user }),
      }),
    state: () => servers.status()[0]?.state,
  }
  try {
    await use(rig)
  } finally {
    await servers.close()
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true })
  }
}
