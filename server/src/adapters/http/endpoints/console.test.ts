import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { OpenAPIHono } from '@hono/zod-openapi'
import { afterAll, expect, test } from 'vitest'
import type { Door, RouterEnv } from '../door.ts'
import { mount } from '../mount.ts'
import { CONSOLE_FOLDER, consoleEndpoints } from './console.ts'

const root = mkdtempSync(join(tmpdir(), 'sluice-console-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const folder = join(root, 'dist')
const app = new OpenAPIHono<RouterEnv>()
app.use((c, next) => {
  c.set('trace', 'a'.repeat(32))
  c.set('door', { login: {} } as Door)
  return next()
})
mount(app, consoleEndpoints(folder))

const get = (path: string, headers: Record<string, string> = {}) => app.request(path, { headers })
const build = (name: string) => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), `the page ${name}`)
  writeFileSync(join(folder, 'assets', `${name}.js`), `script ${name}`)
  writeFileSync(join(folder, 'assets', `${name}.js.br`), `packed ${name}`)
}

test('a checkout serves the console that was built in it', () =>
  expect(resolve(CONSOLE_FOLDER)).toBe(resolve(import.meta.dirname, '../../../../../console/dist')))

test('a gate without a console says how to build one, and serves it as soon as it is there', async () => {
  expect(await (await get('/')).text()).toContain('its console was not built')
  build('old-1')
  expect(await (await get('/')).text()).toBe('the page old-1')
})

test('files that are replaced while the gate runs: the old ones are not found, the new ones are served', async () => {
  build('old-1')
  expect(await (await get('/assets/old-1.js', { 'accept-encoding': 'br' })).text()).toBe('packed old-1')
  build('new-2')
  const gone = await get('/assets/old-1.js', { 'accept-encoding': 'br' })
  expect([gone.status, await gone.json()]).toMatchObject([404, { code: 'route.unknown' }])
  const fresh = await get('/assets/new-2.js')
  expect([fresh.status, await fresh.text()]).toEqual([200, 'script new-2'])
  expect(fresh.headers.get('cache-control')).toContain('immutable')
  rmSync(join(folder, 'assets', 'new-2.js'))
  rmSync(join(folder, 'assets', 'new-2.js.br'))
  expect((await get('/assets/new-2.js')).status).toBe(404)
})

test('only somebody with the cookie of a login requests the held calls together with the page', async () => {
  build('one')
  const link = async (cookie?: string) => {
    const headers = { host: 'gate.example:4000', ...(cookie === undefined ? {} : { cookie }) }
    return (await get('/', headers)).headers.get('link')
  }
  expect(await link(`sluice_login_4000=${'s'.repeat(40)}`)).toContain('/v1/approvals')
  expect(await link()).toBeNull()
  expect(await link(`sluice_login_4001=${'s'.repeat(40)}`)).toBeNull()
})

test('no name leads out of the folder, and only files of known types are served', async () => {
  build('one')
  writeFileSync(join(root, 'secret.js'), 'secret')
  writeFileSync(join(folder, 'assets', 'key.pem'), 'secret')
  mkdirSync(join(folder, 'assets', 'folder.js'))
  const names = [
    '..%2f..%2fsecret.js',
    '%2e%2e/%2e%2e/secret.js',
    '..\\..\\secret.js',
    'key.pem',
    'folder.js',
    'a%00.js',
  ]
  for (const name of names) {
    const answer = await get(`/assets/${name}`)
    expect([name, answer.status]).toEqual([name, 404])
    expect(await answer.text()).not.toContain('secret"')
  }
})
