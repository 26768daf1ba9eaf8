import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { installPublished } from '../security/published/pack.ts'
import { IS_WHOLE } from '../some-of.ts'
import { isWhole } from './stores.ts'

/** The user of `deploy/Dockerfile`. */
const USER = 10_001
const isRoot = process.getuid?.() === 0

/** What `deploy/Dockerfile` makes, without Docker: by `npm run test:cluster`, as root. */
test.skipIf(!isRoot || !(IS_WHOLE || isWhole))(
  'the published package runs as a user who owns nothing but the data folder, and writes nothing else',
  { timeout: 300_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-image-'))
    chmodSync(folder, 0o755)
    try {
      const launcher = installPublished(folder)
      const [settings, data] = [join(folder, 'etc'), join(folder, 'data')]
      mkdirSync(settings)
      mkdirSync(data, { mode: 0o700 })
      chownSync(data, USER, USER)
      const config = { listen: { port: 0 }, policy: { preset: 'careful' }, servers: {} }
      writeFileSync(join(settings, 'sluice.yaml'), JSON.stringify(config))
      const before = filesIn(join(folder, 'installed/package'))
      const words = [launcher, '--config', join(settings, 'sluice.yaml'), '--data', data, 'up']
      const child = spawn(process.execPath, words, {
        cwd: data,
        uid: USER,
        gid: USER,
        env: { PATH: process.env['PATH'], HOME: data, NODE_ENV: 'production', TMPDIR: data },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = once(child, 'exit')
      const [greeting] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])) as [
        unknown,
      ]
      const url = /http:\S+?(?=,)/.exec(String(greeting))?.[0] ?? ''
      expect((await fetch(`${url}/readyz`)).status).toBe(200)
      child.kill('SIGTERM')
      expect(await ended).toEqual([0, null])
      expect(filesIn(join(folder, 'installed/package'))).toEqual(before)
      expect(readdirSync(settings)).toEqual(['sluice.yaml'])
      expect(statSync(join(data, 'keys')).mode & 0o077).toBe(0)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

/** Names and times of all files of the package itself. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${join(parentPath, name)} ${statSync(join(parentPath, name)).mtimeMs}`)
    .toSorted()
}
