import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { GUARDS, GUESTS } from '../server/src/main/guests.ts'
import { importsIn } from '../server/test/walls/imports-in.ts'
import { copyTree, startGate } from './copy-tree.ts'

/**
 * `npm run without -- GUEST… [--tests]`: removes guests from a copy of the tree, by folder and by their line in main/guests.ts, and checks
 * that what remains is complete: types, import rules, generated files, a gate that starts, and with `--tests` all its tests. Without a name: one
 * guest, another one each day.
 */
const words = process.argv.slice(2)
const names = words.filter((word) => !word.startsWith('--'))
const ofToday = GUESTS[Math.floor(Date.now() / 86_400_000) % GUESTS.length]?.name ?? ''
const asked = names.length === 0 ? [ofToday] : names
for (const name of asked)
  if (!GUESTS.some((guest) => guest.name === name)) throw new Error(`there is no guest \`${name}\``)

/** Guests cannot stay without those that they need. */
function withDependents(gone: readonly string[]): readonly string[] {
  const more = GUESTS.filter(
    ({ name, needs = [] }) => !gone.includes(name) && needs.some((need) => gone.includes(need)),
  )
  return more.length === 0 ? gone : withDependents([...gone, ...more.map(({ name }) => name)])
}
const gone = withDependents(asked)
const besides = gone.filter((name) => !asked.includes(name))
const say = (text: string) => process.stdout.write(`${text}\n`)
say(
  `without ${gone.join(', ')}${besides.length === 0 ? '' : ` (${besides.join(', ')} cannot stay without the others)`}`,
)

const copy = copyTree(
  (path) =>
    !gone.some(
      (name) => path.startsWith(`server/src/guests/${name}/`) || path.startsWith(`console/src/guests/${name}/`),
    ),
)
process.once('exit', () => rmSync(copy, { recursive: true, force: true }))

/** Removes the import of each guest, and its name where the guests are listed. */
for (const list of ['server/src/main/guests.ts', 'console/src/guests.ts']) {
  if (!existsSync(join(copy, list))) continue
  const text = readFileSync(join(copy, list), 'utf8')
  const imported = text.split('\n').filter((line) => gone.some((name) => line.includes(`guests/${name}/`)))
  const values = imported.flatMap((line) => /\{ (\w+) \}/.exec(line)?.[1] ?? [])
  const kept = text
    .split('\n')
    .filter((line) => !imported.includes(line) && !values.some((value) => line.trim() === `${value},`))
  writeFileSync(join(copy, list), kept.join('\n'))
}

/** What is not part of the product and imports something that is gone: it is about several guests. */
const leftOut: string[] = []
for (;;) {
  const missing = globSync(
    [
      'server/test/**/*.ts',
      'server/src/**/*.{test,suite,measure}.ts',
      'console/test/*.ts',
      'bench/**/*.ts',
      'scripts/*.ts',
    ],
    {
      cwd: copy,
      exclude: ['**/node_modules/**', 'server/test/stranger/*/**'],
    },
  ).filter((path) =>
    importsIn(readFileSync(join(copy, path), 'utf8')).some(
      (target) => target.startsWith('.') && !existsSync(resolve(copy, dirname(path), target)),
    ),
  )
  if (missing.length === 0) break
  for (const path of missing) rmSync(join(copy, path))
  leftOut.push(...missing)
}
if (leftOut.length > 0) say(`left out, because they are about it too:\n  ${leftOut.join('\n  ')}`)

const bin = (name: string) => join(copy, 'node_modules/.bin', name)
const steps: readonly (readonly [string, string, readonly string[]])[] = [
  ['types of the server', bin('tsc'), ['-p', 'server']],
  ['types of the kernel', bin('tsc'), ['-p', 'server/src/kernel']],
  ['types of the console', bin('tsc'), ['-p', 'console']],
  ['generated files', bin('node'), ['scripts/generate-docs.ts']],
  ['walls', bin('vitest'), ['run', 'server/test/walls']],
  ...(words.includes('--tests') ? [['tests', bin('vitest'), ['run']] as const] : []),
]
const failed = steps.filter(([what, program, args]) => {
  const ran = spawnSync(program, args, { cwd: copy, encoding: 'utf8', maxBuffer: 2 ** 28 })
  return !passes(what, ran.status === 0, `${ran.stdout}${ran.stderr}`)
})

function passes(what: string, isPassed: boolean, output: string): boolean {
  say(`${isPassed ? 'ok    ' : 'FAILED'} ${what}`)
  if (!isPassed) say(output.split('\n').slice(0, 60).join('\n'))
  return isPassed
}

/** A gate without a guard starts only if its configuration says so. */
async function starts(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-without-'))
  const guards = { without: gone.filter((name) => GUARDS.includes(name)) }
  writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify({ listen: { port: 0 }, guards }))
  try {
    const gate = await startGate(copy, folder)
    gate.kill()
    await once(gate, 'exit')
    return passes('a gate starts', true, '')
  } catch (error) {
    return passes('a gate starts', false, String(error))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
process.exitCode = (await starts()) && failed.length === 0 ? 0 : 1
