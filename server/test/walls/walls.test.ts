import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { GUESTS } from '../../src/main/guests.ts'
import { importsIn } from './imports-in.ts'
import { needsOf, wallOf } from './walls.ts'

const src = resolve(import.meta.dirname, '../../src')
type Import = { readonly file: string; readonly target: string }

const importsOf = (file: string): Import[] =>
  importsIn(readFileSync(join(src, file), 'utf8')).map((target) => ({ file, target }))

const IS_TEST = /\.(test|suite|measure)\.ts$/

/** A folder `test` tests its room through a whole gate, which has every room; only those of `main`, which wires the guests, name one. */
const opensGate = (file: string, path: string) =>
  file.split('/').includes('test') && (file.startsWith('main/') || !path.startsWith('guests/'))

/** The fault of one import, or undefined. It is a sentence with the rule and its reason. */
function faultOf({ file, target }: Import): string | undefined {
  const found = wallOf(file)
  if (found === undefined) return `${dirname(file)} has no wall, add one to walls.ts`
  const { home, wall } = found
  const isTest = IS_TEST.test(file)
  if (target.startsWith('.')) {
    const path = relative(src, resolve(join(src, dirname(file)), target))
    if (isTest && (path.startsWith('../test/') || home.startsWith('guests/') || opensGate(file, path))) return undefined
    if (file === 'main/guests.ts' && /^guests\/[^/]+\/index\.ts$/.test(path)) return undefined
    const isAdmitted = path.startsWith(`${home}/`) || wall.ours.some((allowed) => path.startsWith(allowed))
    if (isAdmitted) return undefined
    return `${file} imports ${path}, but ${home}/ may not, because ${wall.because}`
  }
  if (isTest) return undefined
  if (isBuiltin(target))
    return wall.node ? undefined : `${file} imports ${target}, but ${home}/ may not, because ${wall.because}`
  const name = target.startsWith('@') ? target.split('/').slice(0, 2).join('/') : (target.split('/')[0] ?? target)
  return wall.packages.includes(name)
    ? undefined
    : `${file} imports ${name}, which ${home}/ does not have, because ${wall.because}`
}

const names = GUESTS.map(({ name }) => name)
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const imports = files.flatMap(importsOf)
describe('the walls', () => {
  test('every import stays inside what its folder may use', () => {
    expect(imports.length).toBeGreaterThan(20)
    // A folder without a wall is said once, and not for each of its imports.
    expect([...new Set(imports.flatMap((one) => faultOf(one) ?? []))]).toEqual([])
  })

  test('what a guest needs is a guest, and none needs itself through others', () => {
    const reach = (name: string, seen: readonly string[]): string[] =>
      needsOf(name).flatMap((next) => {
        expect(names, `${name} needs ${next}`).toContain(next)
        expect(seen, `${name} needs ${next}, which needs it`).not.toContain(next)
        return [next, ...reach(next, [...seen, next])]
      })
    expect(names.flatMap((name) => reach(name, [name])).length).toBeGreaterThan(0)
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
    const says = (file: string, target: string) => faultOf({ file, target })
    expect(says('adapters/http/x.ts', '../stores/sqlite/ledger.ts')).toMatch(/can skip the checks/)
    expect(says('kernel/decide/x.ts', 'node:fs')).toMatch(/replay identically/)
    expect(says('kernel/decide/x.ts', '../../guests/shell/x.ts')).toMatch(/replay identically/)
    expect(says('guests/flows/x.ts', '../toolflow/state.ts')).toMatch(/removing its folder/)
    for (const name of names)
      for (const need of needsOf(name)) expect(says(`guests/${name}/x.ts`, `../${need}/api.ts`)).toBeUndefined()
    expect(says('adapters/upstream/x.ts', 'hono')).toMatch(/does not have/)
    expect(says('cellar/x.ts', 'hono')).toMatch(/has no wall/)
    expect(says('kernel/decide/test/x.test.ts', '../../../main/open-gate.ts')).toBeUndefined()
    expect(says('kernel/decide/x.test.ts', '../../main/open-gate.ts')).toMatch(/replay identically/)
    expect(says('kernel/decide/test/x.ts', '../../../main/open-gate.ts')).toMatch(/replay identically/)
    expect(says('kernel/decide/test/x.test.ts', '../../../guests/shell/x.ts')).toMatch(/replay identically/)
  })
})
