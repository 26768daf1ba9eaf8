import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { clientTools, HOOK_CLIENTS, OTHER_TOOL } from '../../../kernel/contract/hook-clients.ts'
import { BUILT_IN } from '../load-packs.ts'
import { packFor } from '../match-pack.ts'
import { settingsOf } from '../../../../test/read-config.ts'

type Recorded = {
  readonly client: (typeof HOOK_CLIENTS)[number]
  /** A package with its version for a list that the real client has offered to its model, else `its documentation`. */
  readonly recorded_from: string
  readonly tools: readonly { readonly name: string; readonly args: readonly string[] }[]
}

const FOLDER = join(import.meta.dirname, 'clients')
const lists = readdirSync(FOLDER).map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Recorded)

/** What Codex calls its tools in hooks, and what it offers to its model. */
const HOOK_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = { codex: { exec_command: 'Bash' } }

/** Names of tools that change something, start something or reach a running process. */
const ACTS = /write|edit|patch|replace|delete|create$|stdin|^kill|stop|^tool_call$/i
/** Lists of things to do and goals, kept by the agent itself. */
const NOTES = /todo|goal|topic|plan|^Task/i

test('there is a recorded list for every client, and it says where it was read', () => {
  expect(lists.map(({ client }) => client).toSorted()).toEqual([...HOOK_CLIENTS].toSorted())
  for (const { recorded_from } of lists) expect(recorded_from).toMatch(/^(?:its documentation|\S+ \d+\.\d+\.\d+)$/)
})

describe.each(lists)('the built-in tools of $client, from $recorded_from', ({ client, recorded_from, tools }) => {
  const pack = packFor(BUILT_IN, settingsOf({ client }))?.pack
  const known = (name: string) => pack?.tools[HOOK_NAMES[client]?.[name] ?? name]

  test('the pack contains every one, and names the same source', () => {
    expect(tools.length).toBeGreaterThan(0)
    for (const { name } of tools) expect([name, known(name)?.effects.length ?? 0]).not.toEqual([name, 0])
    expect(pack?.from === recorded_from || pack?.from.startsWith('the documentation of ')).toBe(true)
  })

  test('the arguments that it names are in the list', () => {
    for (const { name, args } of tools) {
      const { paths = [], recipients = [] } = known(name) ?? {}
      for (const pointer of [...paths, ...recipients])
        expect([name, args]).toEqual([name, expect.arrayContaining([pointer.slice(1)])])
    }
  })

  test('every argument that is a path by its name is named', () => {
    for (const { name, args } of tools) {
      if (known(name)?.effects.includes('privileged') === true) continue
      for (const arg of args.filter((one) => /^(?:(?:file|dir|notebook)_?path|path)$/i.test(one)))
        expect([name, arg, [...(known(name)?.paths ?? [])]]).toEqual([name, arg, [`/${arg}`]])
    }
  })

  test('no tool with effects is described as a read', () => {
    for (const { name } of tools)
      if (ACTS.test(name) && !NOTES.test(name)) expect([name, known(name)?.effects]).not.toEqual([name, ['read']])
  })

  test('the catalogue lists what the pack knows, and nothing else', () => {
    expect(
      clientTools(client)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(Object.keys(pack?.tools ?? {}).toSorted())
    expect(pack?.tools[OTHER_TOOL]?.effects).toEqual(['write', 'external'])
  })
})
