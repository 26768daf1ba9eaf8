import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { GUARDS, GUESTS } from '../server/src/main/guests.ts'
import { importsIn } from '../server/test/walls/imports-in.ts'
import { copyTree, startCopy } from './copy-tree.ts'

const USE = `npm run without -- GUEST… [options]

Removes guests from a copy of the tree, by folder and by their line in main/guests.ts, and checks that what remains is complete: types, import
rules, generated files and a gate that starts. Without a name: one guest, another one each day.

  --each            every guest, one after the other
  --short           not the types of the console and of the benchmarks
  --tests [PATH…]   also the tests that remain, or those at these paths
  --keep            keep the copy, and print where it is
`

const OPTIONS = ['--each', '--short', '--tests', '--keep']
const words = process.argv.slice(2)
const has = (option: string) => words.includes(option)
const paths = words.filter((word) => word.includes('/'))
const names = words.filter((word) => !word.startsWith('--') && !paths.includes(word))
const all = GUESTS.map(({ name }) => name)
const wrong = words.filter((word) => ![...OPTIONS, ...all, ...paths].includes(word))
if (wrong.length > 0) {
  process.stderr.write(`there is no guest or option \`${wrong.join(' ')}\`\n\n${USE}`)
  process.exit(2)
}
const say = (text: string) => process.stdout.write(`${text}\n`)

/** Guests cannot stay without those that they need. */
function withDependents(gone: readonly string[]): readonly string[] {
  const more = GUESTS.filter(
    ({ name, needs = [] }) => !gone.includes(name) && needs.some((need) => gone.includes(need)),
  )
  return more.length === 0 ? gone : withDependents([...gone, ...more.map(({ name }) => name)])
}

/** Removes the import of each guest, and its name where the guests are listed. */
function removeFromLists(copy: string, gone: readonly string[]): void {
  for (const list of ['server/src/main/guests.ts', 'console/src/guests.ts']) {
    const lines = readFileSync(join(copy, list), 'utf8').split('\n')
    const imported = lines.filter((line) => gone.some((name) => line.includes(`guests/${name}/`)))
    const values = imported.flatMap((line) => /\{ (\w+) \}/.exec(line)?.[1] ?? [])
    const kept = lines.filter((line) => !imported.includes(line)).join('\n')
    const text = kept.replace(/(?<=GUESTS\b[^=]*= \[)[^\]]*/, (listed) =>
      listed
        .split(/(?<=,)/)
        .filter((item) => !values.includes(item.replace(',', '').trim()))
        .join(''),
    )
    writeFileSync(join(copy, list), text)
  }
}

/** They compare the whole build with texts about all guests. */
const OF_WHOLE_BUILD = [
  'server/test/{goldens,docs,examples,situations}/*.test.ts',
  'server/test/security/threats-page.test.ts',
  'server/test/walls/named-paths.test.ts',
]

/** What is not part of the product and imports something that is gone: it is about several guests. */
function leaveOut(copy: string): readonly string[] {
  const leftOut = globSync(OF_WHOLE_BUILD, { cwd: copy })
  for (const path of leftOut) rmSync(join(copy, path))
  for (;;) {
    const tests = ['server/test/**/*.ts', 'server/src/**/*.{test,suite,measure}.ts', 'console/test/*.ts']
    const missing = globSync([...tests, 'bench/**/*.ts', 'scripts/*.ts'], {
      cwd: copy,
      exclude: ['**/node_modules/**', 'server/test/stranger/*/**'],
    }).filter((path) =>
      importsIn(readFileSync(join(copy, path), 'utf8')).some(
        (target) => target.startsWith('.') && !existsSync(resolve(copy, dirname(path), target)),
      ),
    )
    if (missing.length === 0) return leftOut
    for (const path of missing) rmSync(join(copy, path))
    leftOut.push(...missing)
  }
}

function passes(what: string, isPassed: boolean, output: string): boolean {
  say(`${isPassed ? 'ok    ' : 'FAILED'} ${what}`)
  if (!isPassed) say(output.split('\n').slice(0, MOST_LINES).join('\n'))
  return isPassed
}
const MOST_LINES = 200

async function runs(copy: string, what: string, program: string, ...args: readonly string[]): Promise<boolean> {
  const bin = join(copy, 'node_modules/.bin')
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` }
  const child = spawn(join(bin, program), args, { cwd: copy, env })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)))
  const [code] = (await once(child, 'close')) as [number | null]
  return passes(what, code === 0, said)
}

/** The goldens stay those of the whole build: tests ask them what this one lacks. */
async function generates(copy: string): Promise<boolean> {
  const isGood = await runs(copy, 'generated files', 'node', 'scripts/generate-docs.ts')
  cpSync(resolve(import.meta.dirname, '../server/test/goldens'), join(copy, 'server/test/goldens'), {
    recursive: true,
    filter: (path) => !path.endsWith('.test.ts'),
  })
  return isGood
}

/** A gate without a guard starts only if its configuration says so. */
async function starts(copy: string, gone: readonly string[]): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-without-'))
  const guards = { without: gone.filter((name) => GUARDS.includes(name)) }
  writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify({ listen: { port: 0 }, guards }))
  try {
    const gate = await startCopy(copy, folder)
    gate.kill()
    await once(gate, 'exit')
    return passes('a gate starts', true, '')
  } catch (error) {
    return passes('a gate starts', false, String(error))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function check(asked: readonly string[]): Promise<boolean> {
  const gone = withDependents(asked)
  const besides = gone.filter((name) => !asked.includes(name))
  const because = besides.length === 0 ? '' : ` (${besides.join(', ')} cannot stay without the others)`
  say(`without ${gone.join(', ')}${because}`)
  const folders = gone.flatMap((name) => [`server/src/guests/${name}/`, `console/src/guests/${name}/`])
  const copy = copyTree((path) => !folders.some((folder) => path.startsWith(folder)))
  if (has('--keep')) say(copy)
  else process.once('exit', () => rmSync(copy, { recursive: true, force: true }))
  removeFromLists(copy, gone)
  const leftOut = leaveOut(copy)
  if (leftOut.length > 0) say(`left out, because they are about it too:\n  ${leftOut.join('\n  ')}`)

  // The kernel imports no guest, so its types are those of the whole build.
  const steps = [
    () => runs(copy, 'types of the server', 'tsc', '-p', 'server'),
    ...(has('--short')
      ? []
      : [
          () => runs(copy, 'types of the console', 'tsc', '-p', 'console'),
          () => runs(copy, 'types of the benchmarks', 'tsc', '-p', 'bench'),
        ]),
    () => generates(copy),
    () => runs(copy, 'walls', 'vitest', 'run', 'server/test/walls'),
    () => starts(copy, gone),
    ...(has('--tests') ? [() => runs(copy, 'tests', 'vitest', 'run', ...paths)] : []),
  ]
  let isGood = true
  for (const step of steps) isGood = (await step()) && isGood
  return isGood
}

/** Each in a process of its own, so that its copy is removed before the next one is made. */
function checkEach(): boolean {
  const more = words.filter((word) => word !== '--each')
  const failed = all.filter(
    (name) => spawnSync(process.execPath, [import.meta.filename, name, ...more], { stdio: 'inherit' }).status !== 0,
  )
  say(
    failed.length === 0 ? 'the product is complete without each of its guests' : `FAILED without: ${failed.join(', ')}`,
  )
  return failed.length === 0
}

const ofToday = all[Math.floor(Date.now() / 86_400_000) % all.length] ?? ''
process.exitCode = (await (has('--each') ? checkEach() : check(names.length === 0 ? [ofToday] : names))) ? 0 : 1
