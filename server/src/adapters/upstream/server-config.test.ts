import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig, resolvedServers } from '../../../test/read-config.ts'

function configsOf(server: object, folder = '/etc/sluice', environment: NodeJS.ProcessEnv = {}) {
  const config = readConfig({ servers: { s: server } })
  if (!config.ok) throw new Error(JSON.stringify(config.problem))
  return resolvedServers(config.value.servers, folder, environment)
}

describe('the configured servers', () => {
  test('paths are relative to the config file`s folder and `node` is the gate`s own', () => {
    const args = ['./server.ts', '../up.ts', '--flag', 'plain/./path', '.hidden']
    expect(configsOf({ command: 'node', args, cwd: 'work' })).toMatchObject({
      ok: true,
      value: [
        {
          name: 's',
          command: process.execPath,
          args: ['/etc/sluice/server.ts', '/etc/up.ts', '--flag', 'plain/./path', '.hidden'],
          cwd: '/etc/sluice/work',
        },
      ],
    })
  })

  test('a command is unchanged, unless it is a path beside the config file', () => {
    expect(configsOf({ command: 'npx' })).toMatchObject({ value: [{ command: 'npx', cwd: resolve('/etc/sluice') }] })
    expect(configsOf({ command: './run' })).toMatchObject({ value: [{ command: '/etc/sluice/run' }] })
  })

  test('secrets are read from the environment or a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-'))
    writeFileSync(join(folder, 'token'), 'from a file\n')
    const env = { A: 'env:TOKEN', B: 'file:token', C: 'plain' }
    expect(configsOf({ command: 'x', env }, folder, { TOKEN: 'from outside' })).toMatchObject({
      value: [{ env: { A: 'from outside', B: 'from a file', C: 'plain' } }],
    })
  })

  test('a server whose secret is missing says what is missing and what to do, and the others are unaffected', () => {
    const says = {
      'env:NOT_THERE': 'the variable NOT_THERE is not set in the environment of the gate; set it and restart the gate',
      'file:not-there': 'not-there cannot be read; create it, then run `sluice servers retry s`',
    }
    for (const [reference, text] of Object.entries(says))
      expect(configsOf({ command: 'x', env: { KEY: reference } })).toMatchObject({
        value: [{ name: 's', missing: [`\`env.KEY\`: ${text}`] }],
      })
    const present = configsOf({ command: 'x', env: { KEY: 'plain' } })
    expect(present.ok && present.value[0]?.missing).toBeUndefined()
  })

  test('for a server over HTTP the headers and the client secret are read too', () => {
    const oauth = { token_url: 'https://id.example/token', client_id: 'c', client_secret: 'env:SECRET' }
    const url = 'https://tools.example/mcp'
    expect(configsOf({ url, headers: { 'X-Key': 'env:KEY' }, oauth }, '/', { KEY: 'k', SECRET: 's' })).toMatchObject({
      value: [{ name: 's', url, headers: { 'X-Key': 'k' }, oauth: { ...oauth, client_secret: 's' } }],
    })
    expect(configsOf({ url, headers: { 'X-Key': 'env:KEY' }, oauth })).toMatchObject({
      value: [
        {
          missing: [/headers\.X-Key.*KEY/, /oauth\.client_secret.*SECRET/].map(
            (text) => expect.stringMatching(text) as unknown,
          ),
        },
      ],
    })
  })

  test('a header is rejected if its value would start another one, or if it authenticates twice', () => {
    const url = 'https://tools.example/mcp'
    const oauth = { token_url: 'https://id.example/token', client_id: 'c', client_secret: 's' }
    const faultOf = (server: object, environment: NodeJS.ProcessEnv = {}) => {
      const read = configsOf({ url, ...server }, '/', environment)
      return read.ok ? 'no fault' : read.problem.about['paths']
    }
    expect(faultOf({ headers: { 'X-Key': 'env:KEY' } }, { KEY: 'hunter2\r\nX-Other: 1' })).toBe(
      'servers.s.headers.X-Key: not a valid header value',
    )
    expect(faultOf({ headers: { Authorization: 'Basic x' }, oauth })).toBe(
      'servers.s.oauth: the header `authorization` is already set',
    )
  })
})
