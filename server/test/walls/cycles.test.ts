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
  (file) => file.endsWith('.ts') && !/\.(test|suite)\.ts$/.test(file),
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
  expect(graph.get('boot/open-ports.ts')).toContain('boot/open-storage.ts')
  expect(cyclesIn(graph)).toEqual([])
})

test('a command that only asks a running gate loads neither a store nor the deciders', () => {
  const loaded = [...reached(graphOf('running'), 'boot/main.ts')]
  expect(loaded).toContain('doors/cli/program.ts')
  const heavy = /^(?:stores|upstream|core\/(?:gate|workflow|provenance|shell|search))\//
  expect(loaded.filter((file) => heavy.test(file))).toEqual([])
})

test('a gate that nobody asks about anything loads only the doors for calls', () => {
  const loaded = [...reached(graphOf('running'), 'boot/up.ts')]
  expect(loaded).toContain('doors/http/call-listener.ts')
  expect(loaded).not.toContain('doors/http/app.ts')
})

/** Pairs of types that mention each other. This list may only become shorter. */
const OF_TYPES: readonly string[][] = [
  ['commands/calls/call-changes.ts', 'commands/calls/check-call.ts', 'commands/calls/run-read-back.ts'],
  ['contract/tool-bounds.ts', 'contract/tool.ts'],
  ['core/gate/facts.ts', 'core/gate/judge-repetition.ts', 'core/gate/judge-trap.ts'],
  [
    'core/gate/policy/condition/compile-access.ts',
    'core/gate/policy/condition/compile-call.ts',
    'core/gate/policy/condition/compile-node.ts',
    'core/gate/policy/condition/compile-operator.ts',
    'core/gate/policy/condition/condition.ts',
    'core/gate/policy/condition/node.ts',
    'core/gate/policy/condition/scope.ts',
    'core/gate/policy/match.ts',
    'core/gate/policy/policy.ts',
    'core/gate/policy/rule-index.ts',
  ],
  ['stores/sqlite/packed-commit.ts', 'stores/sqlite/written-rows.ts'],
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
  expect(importsIn(text, 'core/x.ts', 'running')).toEqual(['core/c.ts'])
  expect(importsIn(text, 'core/x.ts', 'all')).toEqual(['core/a.ts', 'core/b.ts', 'core/c.ts'])
})
