import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const src = resolve(import.meta.dirname, '../../src')
const IMPORT = /^(?:import|export)\s+(type\s+)?(?:([^'"]*?)\bfrom\s*)?['"](\.[^'"]+)['"]/gm

type Graph = ReadonlyMap<string, readonly string[]>

/** Whether an import disappears with the types, because all of its names are types. */
function isOfTypes(isType: string | undefined, names = ''): boolean {
  if (isType !== undefined) return true
  const listed = /^\{([^}]*)\}\s*$/.exec(names.trim())?.[1]
  const each = listed?.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()])) ?? []
  return each.length > 0 && each.every((name) => name.startsWith('type '))
}

function importsIn(text: string, file: string, kinds: 'running' | 'all'): string[] {
  return [...text.matchAll(IMPORT)].flatMap(([, isType, names, target = '']) =>
    kinds === 'running' && isOfTypes(isType, names) ? [] : [relative(src, resolve(src, dirname(file), target))],
  )
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !/\.(test|suite|measure)\.ts$/.test(file),
)
const graphOf = (kinds: 'running' | 'all'): Graph =>
  new Map(files.map((file) => [file, importsIn(readFileSync(join(src, file), 'utf8'), file, kinds)]))

/** The files that one file loads, directly or indirectly. */
function reached(graph: Graph, from: string): ReadonlySet<string> {
  const seen = new Set<string>()
  const next = [...(graph.get(from) ?? [])]
  for (let file = next.pop(); file !== undefined; file = next.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    next.push(...(graph.get(file) ?? []))
  }
  return seen
}

/** The files that can reach themselves, in groups that reach each other. */
function cyclesIn(graph: Graph): string[][] {
  const reach = new Map([...graph.keys()].map((file) => [file, reached(graph, file)]))
  const looping = [...graph.keys()].filter((file) => reach.get(file)?.has(file) === true)
  const groups = Map.groupBy(looping, (file) =>
    looping
      .filter((other) => reach.get(file)?.has(other) === true && reach.get(other)?.has(file) === true)
      .sort()
      .join(' '),
  )
  return [...groups.keys()].sort().map((group) => group.split(' '))
}

test('no file imports itself at run time, directly or indirectly', () => {
  const graph = graphOf('running')
  expect(graph.get('main/open-ports.ts')).toContain('main/open-storage.ts')
  expect(cyclesIn(graph)).toEqual([])
})

test('a command that only asks a running gate loads neither a store nor the deciders nor the commands of guests', () => {
  const loaded = [...reached(graphOf('running'), 'main/main.ts')]
  expect(loaded).toContain('adapters/cli/program.ts')
  const heavy =
    /^(?:(?:adapters\/(?:stores|upstream)|kernel\/(?:decide|attempt))\/|guests\/(?:content|shell|search)\/(?!index\.ts)|guests\/(?:provenance\/judge|[^/]+\/commands))/
  expect(loaded.filter((file) => heavy.test(file))).toEqual([])
})

test('a gate that nobody asks about anything loads only the doors for calls', () => {
  const loaded = [...reached(graphOf('running'), 'main/up.ts')]
  expect(loaded).toContain('adapters/http/plain-listener.ts')
  expect(loaded).not.toContain('adapters/http/app.ts')
})

test('a start asks the guests for the files to protect without loading what reads and edits them', () => {
  const graph = graphOf('running')
  const parts = ['main/up.ts', ...files.filter((file) => /^guests\/[^/]+\/(?:prepare-.*|hook-places)\.ts$/.test(file))]
  const loaded = parts.flatMap((part) => [part, ...reached(graph, part)])
  expect(loaded).toContain('adapters/http/plain-listener.ts')
  expect(loaded.filter((file) => /^adapters\/files\/(?:jsonc|toml)\.ts$/.test(file))).toEqual([])
})

/** Pairs of types that mention each other. This list may only become shorter. */
const OF_TYPES: readonly string[][] = [
  ['adapters/stores/sqlite/packed-commit.ts', 'adapters/stores/sqlite/written-rows.ts'],
  ['kernel/contract/tool-bounds.ts', 'kernel/contract/tool.ts'],
  [
    'kernel/policy/condition/compile-access.ts',
    'kernel/policy/condition/compile-call.ts',
    'kernel/policy/condition/compile-expression.ts',
    'kernel/policy/condition/compile-operator.ts',
    'kernel/policy/condition/condition.ts',
    'kernel/policy/condition/expression.ts',
    'kernel/policy/condition/scope.ts',
    'kernel/policy/match.ts',
    'kernel/policy/policy.ts',
    'kernel/policy/rule-index.ts',
  ],
]

test('types form the cycles that are listed here and no others', () => {
  expect(cyclesIn(graphOf('all'))).toEqual(OF_TYPES)
})

test('a cycle is found, and an import of types alone is not one at run time', () => {
  const cycle: Graph = new Map([
    ['a.ts', ['b.ts']],
    ['b.ts', ['c.ts']],
    ['c.ts', ['a.ts', 'd.ts']],
    ['d.ts', []],
  ])
  expect(cyclesIn(cycle)).toEqual([['a.ts', 'b.ts', 'c.ts']])
  const text = "import type { A } from './a.ts'\nimport { type B } from './b.ts'\nimport { c, type D } from './c.ts'\n"
  expect(importsIn(text, 'kernel/x.ts', 'running')).toEqual(['kernel/c.ts'])
  expect(importsIn(text, 'kernel/x.ts', 'all')).toEqual(['kernel/a.ts', 'kernel/b.ts', 'kernel/c.ts'])
})
