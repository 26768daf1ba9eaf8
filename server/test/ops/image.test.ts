import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { installPublished } from '../security/published/pack.ts'
import { IS_WHOLE } from '../some-of.ts'
import { isWhole } from '../helpers/postgres-stores.ts'

const isRoot = process.getuid?.() === 0
const DOCKERFILE = readFileSync(resolve(import.meta.dirname, '../../../deploy/Dockerfile'), 'utf8')

/** The last instruction of this name, which is the one of the final image. */
function instruction(name: string): string {
  const found = DOCKERFILE.match(new RegExp(`^${name} .*$`, 'gm'))?.at(-1)
  if (found === undefined) throw new Error(`the Dockerfile has no ${name}`)
  return found.slice(name.length + 1)
}
const wordsOf = (text: string) => JSON.parse(text.slice(text.indexOf('['))) as string[]

/** What `deploy/Dockerfile` makes, by its own instructions but without a container: by `npm run test:cluster`, as root. */
test.skipIf(!isRoot || !(IS_WHOLE || isWhole))(
  'the published package runs as a user who owns nothing but the data folder, and writes nothing else',
  { timeout: 300_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-image-'))
    chmodSync(folder, 0o755)
    /** A path of the image. */
    const inImage = (path: string) => (path.startsWith('/') ? join(folder, path) : path)
    try {
      const launcher = installPublished(folder)
      const [command, ...words] = wordsOf(instruction('CMD'))
      expect(command).toBe('sluice')
      const [uid = 0, gid = 0] = instruction('USER').split(':').map(Number)
      const data = inImage(instruction('VOLUME'))
      const config = inImage(words[words.indexOf('--config') + 1] ?? '')
      mkdirSync(dirname(config), { recursive: true })
      mkdirSync(data, { mode: Number.parseInt(/chmod (\d+) /.exec(instruction('  && mkdir'))?.[1] ?? '', 8) })
      chownSync(data, uid, gid)
      writeFileSync(config, JSON.stringify({ listen: { port: 0 }, policy: { preset: 'careful' }, servers: {} }))
      const before = filesIn(join(folder, 'installed/package'))
      const [variable = '', value = ''] = instruction('ENV').split('=')
      const child = spawn(process.execPath, [launcher, ...words.map(inImage)], {
        cwd: inImage(instruction('WORKDIR')),
        uid,
        gid,
        env: { PATH: process.env['PATH'], HOME: data, [variable]: value, TMPDIR: data },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = once(child, 'exit')
      const [greeting] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])) as [
        unknown,
      ]
      const url = /http:\S+?(?=,)/.exec(String(greeting))?.[0] ?? ''
      expect((await fetch(`${url}/readyz`)).status).toBe(200)
      expect(await healthOf(new URL(url).port)).toBe(0)
      child.kill('SIGTERM')
      expect(await ended).toEqual([0, null])
      expect(await healthOf(new URL(url).port)).toBe(1)
      expect(filesIn(join(folder, 'installed/package'))).toEqual(before)
      expect(readdirSync(dirname(config))).toEqual(['sluice.yaml'])
      expect(statSync(join(data, 'keys')).mode & 0o077).toBe(0)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

/** The exit code of the image's own health check, at another port. */
async function healthOf(port: string): Promise<unknown> {
  const [, ...args] = wordsOf(instruction('HEALTHCHECK'))
  const used = args.map((word) => word.replace(instruction('EXPOSE'), port))
  const [code] = (await once(spawn(process.execPath, used, { stdio: 'ignore' }), 'exit')) as unknown[]
  return code
}

/** Names and times of all files of the package itself. Its libraries are those of this checkout, where other tests keep their cache. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes(join('node_modules', '.cache')))
    .map(({ parentPath, name }) => `${join(parentPath, name)} ${statSync(join(parentPath, name)).mtimeMs}`)
    .toSorted()
}
