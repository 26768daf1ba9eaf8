import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Pack } from '../pack.ts'
import type { JsonObject } from '../../../kernel/contract/json.ts'
import { BUILT_IN } from '../load-packs.ts'

type Recorded = {
  readonly package: string
  readonly version: string
  readonly tools: readonly {
    readonly name: string
    readonly hash: string
    readonly inputSchema: JsonObject
    readonly readOnlyHint?: boolean
    readonly destructiveHint?: boolean
  }[]
}

const FOLDER = join(import.meta.dirname, 'recorded')
const recordings = readdirSync(FOLDER).map((file) => ({
  name: file.replace(/\.json$/, ''),
  recorded: JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Recorded,
}))
const packNamed = (name: string) => BUILT_IN.find(({ pack }) => pack.pack === name)?.pack

/** Well-known servers that must have a pack. */
const WANTED =
  'filesystem git github gitlab slack gmail google-calendar postgres sqlite stripe notion linear jira playwright fetch memory sentry cloudflare aws kubernetes docker'

test('there is a pack for each of the most used servers, and each is well formed', () => {
  for (const name of WANTED.split(' ')) expect([name, packNamed(name) !== undefined]).toEqual([name, true])
  for (const { pack } of BUILT_IN) expect(Pack.parse(pack)).toEqual(pack)
  const names = BUILT_IN.flatMap(({ pack }) => pack.packages)
  expect(new Set(names).size).toBe(names.length)
})

describe.each(recordings)('the pack `$name` and the recorded list of the real server', ({ name, recorded }) => {
  const pack = packNamed(name)

  test('every recorded tool is in it, bound to exactly the definition that was recorded', () => {
    expect(pack?.packages).toContain(recorded.package)
    for (const { name: tool, hash } of recorded.tools)
      expect([tool, pack?.tools[tool]?.definitions]).toEqual([tool, [hash]])
    const hashed = Object.entries(pack?.tools ?? {}).filter(([, { definitions }]) => definitions.length > 0)
    expect(hashed.length).toBe(recorded.tools.length)
  })

  test('the arguments that it names are in the schemas', () => {
    for (const { name: tool, inputSchema } of recorded.tools) {
      const { recipients = [], amounts = [], paths = [] } = pack?.tools[tool] ?? {}
      const known = Object.keys((inputSchema['properties'] ?? {}) as JsonObject).map((key) => `/${key}`)
      for (const pointer of [...recipients, ...amounts, ...paths])
        expect([tool, known]).toEqual([tool, expect.arrayContaining([pointer])])
    }
  })

  /** Its hints follow the HTTP method: these two are a POST, and search. */
  const SEARCHES = new Set(['API-post-search', 'API-query-data-source'])

  test('no tool is described as harmless if its own server says that it does more than read', () => {
    for (const { name: tool, readOnlyHint, destructiveHint } of recorded.tools) {
      const effects = pack?.tools[tool]?.effects ?? []
      if (SEARCHES.has(tool)) continue
      if (readOnlyHint === false || destructiveHint === true) expect([tool, effects]).not.toEqual([tool, ['read']])
    }
  })

  test('what undoes a tool is a tool of the same server', () => {
    const names = recorded.tools.map((tool) => tool.name)
    for (const { rollback } of Object.values(pack?.tools ?? {}))
      if (rollback?.tool !== undefined) expect(names).toContain(rollback.tool)
  })
})
