import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { forEachChild, parse, type SyntaxNode } from 'unbash'
import { expect, test } from 'vitest'
import { OPAQUE, TRANSPARENT } from '../wrappers.suite.ts'

/** Every kind of node that the parser can make, as its own types list them. */
function grammar(): readonly string[] {
  const folder = dirname(createRequire(import.meta.url).resolve('unbash'))
  const files = readdirSync(folder).filter((name) => name.endsWith('.d.ts'))
  const found = files.flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/\btype: "([A-Z]\w+)"/g)].map(([, type = '']) => type),
  )
  return [...new Set(found)].toSorted()
}

function typesIn(node: SyntaxNode, found: Set<string>): void {
  found.add(node.type)
  // The operation of an expansion is a part of its node, not a node.
  if (node.type === 'ParameterExpansion' && node.operation !== undefined) found.add(node.operation.type)
  forEachChild(node, (child) => typesIn(child, found))
}

/** What cannot hold a command: an operation that the parser does not know, and names that match a prefix. */
const HOLDS_NOTHING = new Set(['Unknown', 'Names'])

test('the constructs in which a blocked command is hidden are the whole grammar of the parser', () => {
  const found = new Set<string>()
  for (const wrap of [...Object.values(TRANSPARENT), ...Object.values(OPAQUE)]) typesIn(parse(wrap('rm -rf /')), found)
  const all = grammar()
  expect(all.length).toBeGreaterThan(50)
  expect(all.filter((type) => !found.has(type) && !HOLDS_NOTHING.has(type))).toEqual([])
})
