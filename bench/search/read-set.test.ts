import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readSet, setFolders } from './read-set.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-sets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function setOf(name: string, tools: string, queries?: string): string {
  const path = join(folder, name)
  mkdirSync(path)
  writeFileSync(join(path, 'tools.jsonl'), tools)
  if (queries !== undefined) writeFileSync(join(path, 'queries.jsonl'), queries)
  return path
}

test('a set needs only ids; missing and null fields are empty', () => {
  const path = setOf('bare', '{"id":"a"}\n\n{"name":"b","description":null,"parameters":null,"tags":null}\n', '')
  const { tools, questions } = readSet(path, [])
  expect(tools.map(({ id, name }) => [id, name])).toEqual([
    ['a', ''],
    ['b', 'b'],
  ])
  expect(questions).toEqual([])
})

test('a question without an answer is dropped, an answer named twice counts once, and of tools with equal ids the first is used', () => {
  const queries = '{"query":"x"}\n{"query":"y","relevant":["a","a"]}\n{"query":"z","relevant_any_of":["a","b"]}'
  const { tools, questions } = readSet(setOf('odd', '{"id":"a","name":"one"}\n{"id":"a","name":"two"}', queries), [])
  expect(tools.map(({ name }) => name)).toEqual(['one'])
  expect(questions).toEqual([
    { query: 'y', wanted: [['a']] },
    { query: 'z', wanted: [['a', 'b']] },
  ])
})

test.each<[string, () => unknown, RegExp]>([
  ['a folder that is not there', () => setFolders([join(folder, 'nowhere')]), /^no such data folder: /],
  [
    'a folder without sets',
    () => setFolders([mkdtempSync(join(folder, 'empty-'))]),
    /contains no set: neither tools\.jsonl and queries\.jsonl/,
  ],
  ['tools without queries', () => readSet(setOf('half', '{"id":"a"}'), []), /has tools and no queries\.jsonl$/],
  [
    'a line that is no JSON',
    () => readSet(setOf('torn', '{"id":"a"}\n{"id"', ''), []),
    /tools\.jsonl, line 2: not a JSON/,
  ],
  ['a line that is not an object', () => readSet(setOf('list', '[1]', ''), []), /line 1: not a JSON object$/],
  [
    'distractors that are not there',
    () => readSet(setOf('more', '{"id":"a"}', ''), ['/no/file']),
    /^\/no\/file cannot be/,
  ],
])('%s is reported in one sentence', (_, read, says) => {
  let thrown: unknown
  try {
    read()
  } catch (error) {
    thrown = error
  }
  expect(thrown).toMatchObject({ name: 'Complaint', message: expect.stringMatching(says) as string })
})
