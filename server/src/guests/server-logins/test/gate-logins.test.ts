import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { filesBelow } from '../../../../test/live-files.ts'
import { runGate, startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'
import { connectClient } from '../../../../test/helpers/with-mcp-gate.ts'
import { logInAs } from './person.suite.ts'
import { startProtected, type ProtectedServer } from './protected-server.suite.ts'

let at: ProtectedServer
let gate: RunningGate & { stop(): Promise<void> }
let admin = ''
let ana = ''
let agent_of_ana = ''
beforeAll(async () => {
  at = await startProtected()
  gate = await startGate((folder) => {
    const servers = {
      notes: { url: at.url, trusted: true },
      own: { url: at.url, trusted: true, login: { per: 'user' } },
    }
    writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify({ listen: { port: 0 }, servers }))
  })
  admin = await gate.key('admin', 'root')
  ana = await gate.key('user', 'ana', 'ana')
  agent_of_ana = await gate.key('agent', 'a', 'ana')
})
afterAll(async () => {
  await gate.stop()
  await at.stop()
})

/** Runs `sluice servers login`, and lets the person log in with a browser once it prints an address. */
function cliLogin(
  name: string,
  ...words: readonly string[]
): Promise<{ code: number | null; out: string; page: string }> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [gate.launcher, 'servers', 'login', ...words], { cwd: gate.folder })
    let out = ''
    let page: Promise<string> | undefined
    const readOutput = (text: Buffer) => {
      out += text.toString()
      const url = /http:\S+\/oauth\/login\/\S+/.exec(out)?.[0]
      if (url !== undefined) page ??= logInAs(name, url).then((ended) => ended.text)
    }
    child.stdout.on('data', readOutput)
    child.stderr.on('data', readOutput)
    child.on('close', (code) => void finish(code))
    const finish = async (code: number | null) => done({ code, out, page: (await page) ?? '' })
  })
}

const serverCalled = async (name: string) => {
  const { body } = await gate.http('GET', '/v1/servers', admin)
  return (body['items'] as Record<string, unknown>[]).find((each) => each['server'] === name) ?? {}
}

describe('logging in at a tool server behind a running gate', () => {
  test('before a login, the list, the call and doctor say that one is needed and what to do', async () => {
    await expect.poll(async () => (await serverCalled('notes'))['state']).toBe('needs_login')
    const shown = await gate.cli('servers')
    expect(shown.out).toContain('needs login')
    expect(shown.out).toMatch(/notes: log in with `\S*sluice servers login notes`/)
    expect(shown.out).toMatch(/own: log in with `\S*sluice servers login own --shared`/)
    expect((await gate.cli('doctor')).out).toMatch(/log in with `\S*sluice servers login notes`/)
  })

  test('only an admin can start the shared login; nobody can start one without a key', async () => {
    const path = '/v1/servers/notes/login'
    expect(await gate.http('POST', path, undefined, {})).toMatchObject({ status: 401 })
    expect(await gate.http('POST', path, agent_of_ana, {})).toMatchObject({ status: 403 })
    expect(await gate.http('POST', path, ana, {})).toMatchObject({ status: 403, body: { code: 'auth.forbidden' } })
    expect(await gate.http('POST', '/v1/servers/none/login', admin, {})).toMatchObject({
      status: 404,
      body: { code: 'server.unknown' },
    })
  })

  test('`sluice servers login` prints an address and waits for the person; then the tools are listed', async () => {
    const { code, out, page } = await cliLogin('anna', 'notes')
    expect(page).toContain('The gate can now use notes.')
    expect(out).toContain('logged in to notes')
    expect(code).toBe(0)
    await expect.poll(async () => (await serverCalled('notes'))['state']).toBe('ready')
    expect((await gate.cli('call', 'notes__read_name', '--raw')).out.trim()).toBe('anna')
    expect((await gate.cli('servers')).out).toContain(`notes: logged in at ${at.issuer}, renewed automatically`)
  })

  test('with one login per user, the agent gets the address for its user; after the login the call works', async () => {
    await cliLogin('lister', 'own', '--shared')
    await expect.poll(async () => (await serverCalled('own'))['state']).toBe('ready')
    const client = await connectClient(gate, agent_of_ana, { way: 'http', era: 'new', surface: 'passthrough' })
    const refused = await client.callTool({ name: 'own__read_name', arguments: {} })
    const said = JSON.stringify(refused)
    expect(refused.isError).toBe(true)
    const url = /http:\/\/127\.0\.0\.1:\d+\/oauth\/login\/[\w-]+/.exec(said)?.[0]
    expect(said).toContain('`ana` has not logged in')
    expect(url).toBeDefined()
    await logInAs('anna', url ?? '')
    expect(await client.callTool({ name: 'own__read_name', arguments: {} })).toMatchObject({
      content: [{ text: expect.stringContaining('anna') as unknown }],
    })
    await client.close()
    // Nobody else can use ana's login.
    const other = await gate.http('POST', '/v1/calls', admin, { tool: 'own__read_name', args: {} })
    expect(JSON.stringify(other.body)).toContain('tool.login_needed')
    expect(await gate.http('GET', '/v1/servers/own/login', ana)).toMatchObject({ body: { state: 'logged_in' } })
  })

  test('a login can be completed by hand, but only by somebody who may start it', async () => {
    const path = '/v1/servers/own/login'
    const { body } = await gate.http('POST', path, admin, {})
    const ended = await logInAs('root', String(body['authorization_url']), (url) => url.pathname === '/oauth/callback')
    const url = ended.url
    expect(await gate.http('POST', `${path}/finish`, ana, { url })).toMatchObject({ status: 502 })
    expect(await gate.http('POST', `${path}/finish`, admin, { url })).toMatchObject({ status: 404 })
    const again = await gate.http('POST', path, admin, {})
    const back = await logInAs(
      'root',
      String(again.body['authorization_url']),
      (at) => at.pathname === '/oauth/callback',
    )
    expect(await gate.http('POST', `${path}/finish`, admin, { url: back.url })).toMatchObject({ status: 200 })
  })

  test('a login is completed at the command line with the address that the browser stopped at', async () => {
    const child = spawn(process.execPath, [gate.launcher, 'servers', 'login', 'notes', '--paste'], { cwd: gate.folder })
    let output = ''
    const readOutput = (text: Buffer) => {
      output += text.toString()
      const url = /http:\S+\/auth\?\S+/.exec(output)?.[0]
      if (url === undefined || child.stdin.writableEnded) return
      child.stderr.off('data', readOutput)
      void logInAs('anna', url, (to) => to.pathname === '/oauth/callback').then((back) =>
        child.stdin.end(`${back.url}\n`),
      )
    }
    child.stderr.on('data', readOutput)
    let out = ''
    child.stdout.on('data', (text: Buffer) => (out += text.toString()))
    expect(await new Promise((done) => child.on('close', done))).toBe(0)
    expect(out).toContain('logged in to notes')
  })

  test('the pages cannot be framed, cached or scripted by others; a read or a stranger does not use up the login', async () => {
    const { body } = await gate.http('POST', '/v1/servers/notes/login', admin, {})
    const url = String(body['url'])
    const page = await fetch(url)
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(page.headers.get('content-security-policy')).toMatch(/script-src 'sha256-[^']{44}'/)
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    const ended = await logInAs('anna', url, (to) => to.pathname === '/oauth/callback')
    // The page says the same whatever it is asked with, and completes nothing by itself.
    expect(await (await fetch(ended.url)).text()).toBe(await (await fetch(`${gate.url}/oauth/callback?error=x`)).text())
    const mine = await logInAs('anna', ended.url, undefined, ended.cookies)
    expect(mine).toMatchObject({ status: 200, text: expect.stringContaining('The gate can now use notes.') as unknown })
    expect(await logInAs('anna', ended.url, undefined, ended.cookies)).toMatchObject({ status: 404 })
  })

  test('the page cannot be skipped, and another person does not give their account to the one who began', async () => {
    const bob = await gate.key('user', 'bob', 'bob')
    const login = await fetch(`${gate.url}/v1/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: bob }),
    })
    const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const { body } = await gate.http('POST', '/v1/servers/own/login', ana, {})
    const onward = `${String(body['url'])}/continue`
    const send = (headers: Record<string, string>) =>
      fetch(onward, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' })
    expect(await fetch(onward)).toMatchObject({ status: 405 })
    expect(await send({ origin: 'http://127.0.0.1:1' })).toMatchObject({ status: 403 })
    const refused = await send({ origin: gate.url, cookie })
    expect(refused.status).toBe(409)
    expect(await refused.json()).toMatchObject({ code: 'login.other_person', about: { here: 'bob', user: 'ana' } })
    // Cookies are shared by all ports, so none of them completes a login.
    const { secret, url } = (await (await send({ origin: gate.url })).json()) as Record<'secret' | 'url', string>
    const back = await logInAs('bob', url, (to) => to.pathname === '/oauth/callback')
    const planted = await fetch(`${gate.url}/oauth/callback`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: `sluice_login_${secret.slice(0, 8)}=${secret}` },
      body: JSON.stringify({ ...Object.fromEntries(new URL(back.url).searchParams), secrets: [] }),
    })
    expect(await planted.json()).toMatchObject({ code: 'login.failed' })
  })

  test('no token is in an answer, in the log, in the ledger or in a call', async () => {
    const folder = join(gate.folder, '.sluice')
    const texts = filesBelow(folder).map(({ path, bytes }) => [path, bytes] as const)
    const kept = texts.filter(([name]) => name.includes('logins'))
    const tokens = kept.flatMap(([, bytes]) => [...bytes.toString().matchAll(/"(?:access|refresh)_token":"([^"]+)"/g)])
    expect(tokens.length).toBeGreaterThanOrEqual(4)
    for (const [, token = ''] of tokens)
      for (const [name, bytes] of texts) if (!name.includes('logins')) expect(bytes.includes(token), name).toBe(false)
    const [, token = ''] = tokens[0] ?? []
    const carried = await gate.http('POST', '/v1/calls', admin, { tool: 'notes__write_note', args: { text: token } })
    expect(JSON.stringify(carried.body)).toContain('call.blocked')
    expect(JSON.stringify(carried.body)).not.toContain(token)
  })

  test("erasing a user revokes and forgets the user's logins", async () => {
    expect(await gate.http('POST', '/v1/erasures', admin, { user: 'ana' })).toMatchObject({ status: 200 })
    expect(await gate.http('GET', '/v1/servers/own/login', ana)).toMatchObject({ body: { state: 'none' } })
  })

  test('logins and logouts are in the audit, with the person who started them', async () => {
    expect((await gate.cli('servers', 'logout', 'notes')).out).toContain('the tokens were revoked')
    await expect.poll(async () => (await serverCalled('notes'))['state']).toBe('needs_login')
    const { body } = await gate.http('GET', '/v1/audit?limit=1000', admin)
    const kinds = (body['items'] as { type: string; subject: { server?: string; user?: string } }[]).filter(
      ({ type }) => type.startsWith('server.logged'),
    )
    expect(kinds).toContainEqual(expect.objectContaining({ type: 'server.logged_in', subject: { server: 'notes' } }))
    expect(kinds).toContainEqual(
      expect.objectContaining({ type: 'server.logged_in', subject: { server: 'own', user: 'ana' } }),
    )
    expect(kinds).toContainEqual(expect.objectContaining({ type: 'server.logged_out', subject: { server: 'notes' } }))
  })
})

test('a login that waits while the gate is restarted has to be started again, and the command says so', async () => {
  const own = await startGate((folder) =>
    writeFileSync(
      join(folder, 'sluice.yaml'),
      JSON.stringify({ listen: { port: 0 }, servers: { notes: { url: at.url, trusted: true } } }),
    ),
  )
  const child = spawn(process.execPath, [own.launcher, 'servers', 'login', 'notes'], { cwd: own.folder })
  let output = ''
  const ticket = await new Promise<string>((done) =>
    child.stderr.on('data', (text: Buffer) => {
      output += text.toString()
      const found = /\/oauth\/login\/(\S+)/.exec(output)?.[1]
      if (found !== undefined) done(found)
    }),
  )
  const ended = new Promise((done) => child.on('close', done))
  // A command that finds no gate starts one itself, so it is suspended until the next gate runs.
  child.kill('SIGSTOP')
  own.process.kill('SIGKILL')
  await new Promise((done) => own.process.once('exit', done))
  const next = await runGate(own.folder)
  child.kill('SIGCONT')
  try {
    expect(await ended).toBe(1)
    expect(output).toContain('servers login notes` again')
    expect(await (await fetch(`${next.url}/oauth/login/${ticket}`)).text()).toContain('the gate was restarted')
  } finally {
    await next.stop()
  }
})
