import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PARTITIONS, ROOMS } from './walls.ts'

const src = resolve(import.meta.dirname, '../../src')
const IMPORT =
  /^\s*(?:import|export)\b[^'"]*?\bfrom\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]|new URL\(\s*['"](\.[^'"]+\.ts)['"]/gm

type Import = { file: string; room: string; target: string }

function importsOf(file: string): Import[] {
  const text = readFileSync(join(src, file), 'utf8')
  const room = file.split('/')[0] ?? ''
  return [...text.matchAll(IMPORT)].map((match) => ({
    file,
    room,
    target: match[1] ?? match[2] ?? match[3] ?? match[4] ?? '',
  }))
}

/** The fault of one import, or undefined. The fault is a sentence with the rule and its reason. */
function faultOf({ file, room, target }: Import): string | undefined {
  const wall = ROOMS[room]
  if (wall === undefined) return `${file}: \`${room}/\` is not a room of the house`
  const isTest = /\.(test|suite)\.ts$/.test(file)
  if (target.startsWith('.')) {
    const path = relative(src, resolve(join(src, dirname(file)), target))
    if (isTest && path.startsWith('../test/')) return undefined
    const admitted = wall.ours.some((allowed) => path === allowed || path.startsWith(`${allowed}/`))
    return admitted ? undefined : `${file} imports ${path}, but ${room}/ may not, because ${wall.because}`
  }
  if (isTest) return undefined
  if (isBuiltin(target))
    return wall.node ? undefined : `${file} imports ${target}, but ${room}/ may not, because ${wall.because}`
  const name = target.startsWith('@') ? target.split('/').slice(0, 2).join('/') : (target.split('/')[0] ?? target)
  return wall.packages.includes(name)
    ? undefined
    : `${file} imports ${name}, which ${room}/ does not have, because ${wall.because}`
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const imports = files.flatMap(importsOf)

describe('the walls', () => {
  test('every import stays inside what its room may use', () => {
    expect(imports.length).toBeGreaterThan(20)
    expect(imports.map(faultOf).filter((fault) => fault !== undefined)).toEqual([])
  })

  test('the rules inside a room are kept', () => {
    const faults = imports.flatMap(({ file, target }) => {
      if (!target.startsWith('.')) return []
      const path = relative(src, resolve(join(src, dirname(file)), target))
      return PARTITIONS.filter((wall) => file.startsWith(`${wall.from}/`) && path.startsWith(`${wall.never}/`)).map(
        (wall) => `${file} imports ${path}: ${wall.because}`,
      )
    })
    expect(faults).toEqual([])
  })

  test('only the wiring and its own room can reach the tool servers', () => {
    const reaching = imports.filter(
      ({ file, target }) => /(^|\/)upstream\//.test(target) && !file.startsWith('upstream/'),
    )
    expect(new Set(reaching.map(({ room }) => room))).toEqual(new Set(reaching.length === 0 ? [] : ['boot']))
  })

  test('nothing outside the stores names an engine', () => {
    const engines = readdirSync(join(src, 'stores'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(engines.map(({ name }) => name)).toContain('sqlite')
    const named = new RegExp(`(^|/)stores/(${engines.map(({ name }) => name).join('|')})/|^node:sqlite$`)
    const isProduct = (file: string) => !/\.(test|suite)\.ts$/.test(file) && !file.startsWith('stores/')
    expect(
      imports
        .filter(({ file, target }) => isProduct(file) && named.test(target))
        .map(({ file, target }) => `${file} imports ${target}: open it through stores/open-store.ts`),
    ).toEqual([])
    // A file name of an engine is a way to reach it as well.
    expect(
      files.filter((file) => isProduct(file) && /ledger\.sqlite/.test(readFileSync(join(src, file), 'utf8'))),
    ).toEqual([])
  })

  test('a forbidden import is found, with the reason', () => {
    expect(faultOf({ file: 'doors/http/x.ts', room: 'doors', target: '../../stores/sqlite/ledger.ts' })).toMatch(
      /can skip the checks/,
    )
    expect(faultOf({ file: 'core/gate/x.ts', room: 'core', target: 'node:fs' })).toMatch(/replay identically/)
    expect(faultOf({ file: 'upstream/x.ts', room: 'upstream', target: 'hono' })).toMatch(/does not have/)
  })
})
