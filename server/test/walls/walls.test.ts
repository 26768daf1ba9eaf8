import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importsIn } from './imports-in.ts'
import { WALLS, wallOf } from './walls.ts'

const src = resolve(import.meta.dirname, '../../src')
type Import = { readonly file: string; readonly target: string }
/** `path` is set for a forbidden import of a file of ours. */
type Fault = { readonly path?: string; readonly says: string }

const importsOf = (file: string): Import[] =>
  importsIn(readFileSync(join(src, file), 'utf8')).map((target) => ({ file, target }))

const IS_TEST = /\.(test|suite|measure)\.ts$/

/** A folder `test` tests its room through a whole gate, which has every room; only those of `main`, which wires the guests, name one. */
const opensGate = (file: string, path: string) =>
  file.split('/').includes('test') && (file.startsWith('main/') || !path.startsWith('guests/'))

/** The fault of one import, or undefined. It is a sentence with the rule and its reason. */
function faultOf({ file, target }: Import): Fault | undefined {
  const found = wallOf(file)
  if (found === undefined) return { says: `${file}: its folder has no wall, add one to walls.ts` }
  const { home, wall } = found
  const isTest = IS_TEST.test(file)
  if (target.startsWith('.')) {
    const path = relative(src, resolve(join(src, dirname(file)), target))
    if (isTest && (path.startsWith('../test/') || home.startsWith('guests/') || opensGate(file, path))) return undefined
    if (file === 'main/guests.ts' && /^guests\/[^/]+\/index\.ts$/.test(path)) return undefined
    const isAdmitted = path.startsWith(`${home}/`) || wall.ours.some((allowed) => path.startsWith(allowed))
    if (isAdmitted) return undefined
    return { path, says: `${file} imports ${path}, but ${home}/ may not, because ${wall.because}` }
  }
  if (isTest) return undefined
  if (isBuiltin(target))
    return wall.node ? undefined : { says: `${file} imports ${target}, but ${home}/ may not, because ${wall.because}` }
  const name = target.startsWith('@') ? target.split('/').slice(0, 2).join('/') : (target.split('/')[0] ?? target)
  return wall.packages.includes(name)
    ? undefined
    : { says: `${file} imports ${name}, which ${home}/ does not have, because ${wall.because}` }
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const imports = files.flatMap(importsOf)
/** Imports that are still to be removed: `FILE imports FILE`. This list may only become shorter. */
const EXCEPTIONS = new URL('exceptions.txt', import.meta.url)

describe('the walls', () => {
  test('every import stays inside what its folder may use', async () => {
    expect(imports.length).toBeGreaterThan(20)
    const faults = imports.flatMap((one) => {
      const fault = faultOf(one)
      return fault === undefined ? [] : [{ file: one.file, ...fault }]
    })
    const known = new Set(readFileSync(EXCEPTIONS, 'utf8').trim().split('\n'))
    const entryOf = ({ file, path }: { file: string; path?: string }) => `${file} imports ${path}`
    expect(faults.filter((fault) => !known.has(entryOf(fault))).map(({ says }) => says)).toEqual([])
    const found = new Set(faults.map(entryOf))
    expect(
      [...known].filter((entry) => !found.has(entry) && entry !== ''),
      'remove these from exceptions.txt',
    ).toEqual([])
  })

  test('what a guest needs is a guest, and none needs itself through others', () => {
    const needs = new Map(
      Object.entries(WALLS).map(([home, { ours }]) => [
        home,
        ours.flatMap((path) => /^guests\/[^/]+(?=\/api\.ts$)/.exec(path)?.[0] ?? []),
      ]),
    )
    const reach = (home: string, seen: readonly string[]): string[] =>
      (needs.get(home) ?? []).flatMap((next) => {
        expect(WALLS[next], `${home} needs ${next}`).toBeDefined()
        expect(seen, `${home} needs ${next}, which needs it`).not.toContain(next)
        return [next, ...reach(next, [...seen, next])]
      })
    expect([...needs.keys()].flatMap((home) => reach(home, [home])).length).toBeGreaterThan(0)
  })

  test('nothing outside the stores names an engine', () => {
    const engines = readdirSync(join(src, 'adapters/stores'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    )
    expect(engines.map(({ name }) => name)).toContain('sqlite')
    const named = new RegExp(`(^|/)stores/(${engines.map(({ name }) => name).join('|')})/|^node:sqlite$`)
    const isProduct = (file: string) => !IS_TEST.test(file) && !file.startsWith('adapters/stores/')
    expect(
      imports
        .filter(({ file, target }) => isProduct(file) && named.test(target))
        .map(({ file, target }) => `${file} imports ${target}: open it through adapters/stores/open-store.ts`),
    ).toEqual([])
    // A file name of an engine is a way to reach it as well.
    expect(
      files.filter((file) => isProduct(file) && /ledger\.sqlite/.test(readFileSync(join(src, file), 'utf8'))),
    ).toEqual([])
  })

  test('a forbidden import is found, with the reason', () => {
    const says = (file: string, target: string) => faultOf({ file, target })?.says
    expect(says('adapters/http/x.ts', '../stores/sqlite/ledger.ts')).toMatch(/can skip the checks/)
    expect(says('kernel/decide/x.ts', 'node:fs')).toMatch(/replay identically/)
    expect(says('kernel/decide/x.ts', '../../guests/shell/x.ts')).toMatch(/replay identically/)
    expect(says('guests/flows/x.ts', '../toolflow/state.ts')).toMatch(/removing its folder/)
    expect(says('guests/flows/x.ts', '../toolflow/api.ts')).toBeUndefined()
    expect(says('adapters/upstream/x.ts', 'hono')).toMatch(/does not have/)
    expect(says('cellar/x.ts', 'hono')).toMatch(/has no wall/)
    expect(says('kernel/decide/test/x.test.ts', '../../../main/open-gate.ts')).toBeUndefined()
    expect(says('kernel/decide/x.test.ts', '../../main/open-gate.ts')).toMatch(/replay identically/)
    expect(says('kernel/decide/test/x.ts', '../../../main/open-gate.ts')).toMatch(/replay identically/)
    expect(says('kernel/decide/test/x.test.ts', '../../../guests/shell/x.ts')).toMatch(/replay identically/)
  })
})
