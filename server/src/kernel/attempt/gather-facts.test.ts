import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../test/read-config.ts'
import { compilePolicy } from '../policy/compile-policy.ts'
import { callWith, toolWith } from '../decide/neutral-facts.suite.ts'
import { NO_ROUTES } from '../approvals/routes/routes.ts'
import { decide, judgementOf } from '../../../test/judging.ts'
import { gatherFacts } from './gather-facts.ts'
import type { Tables } from '../ports/reads.ts'
import type { DiskLook, FileFacts } from '../ports/files.ts'
import type { FactsPorts } from '../decide/judging.ts'

const compiled = compilePolicy({ text: 'preset: careful', file: 'p' }, { digest: () => 'a' })
if (!compiled.ok) throw new Error('the policy compiles')
const policy = compiled.value

const look: DiskLook = {
  isHere: true,
  isFrom: false,
  programs: [],
  own: [],
  mayBeHere: false,
  names: { folder: undefined, files: [] },
  isThere: () => Promise.resolve(false),
  bases: async () => ['/desk'],
  follow: async (path) => ({ lead: path.startsWith('/') ? path : `/desk/${path}`, is_linked: false, is_found: true }),
  placesOf: async () => [],
  entriesIn: async () => [],
  secondNames: async () => [],
  linksIn: async () => new Set(),
}
const files: FileFacts = {
  windows: false,
  home: () => '/home/ana',
  configured: async (path) => `/${path.replace(/^\.\//, '')}`,
  look: () => look,
}
const tables: Tables = { row: async () => undefined, list: async () => [], count: async () => 0 }
const gone = async () => {
  throw new Error('the disk is gone')
}

async function depsWith(more: Partial<FactsPorts> = {}): Promise<FactsPorts> {
  const config = readConfig({
    servers: { s: { command: 'x', sandbox: { roots: ['./desk'], local: true } } },
    traps: { files: ['./bait'] },
    budgets: [{ id: 'b', calls: 5, per: 'hour' }],
  })
  if (!config.ok) throw new Error(JSON.stringify(config.problem))
  const judgement = await judgementOf(config.value, { secretOf: (text) => text, files })
  return {
    tables,
    accounts: { left: async () => undefined },
    files,
    judgement,
    catalogue: { tool: () => undefined, tools: () => [], lookAlikes: () => [] },
    clock: () => 1000,
    otherApprovers: [],
    routes: NO_ROUTES,
    sessions: judgement.openSessions({
      tables,
      artifacts: { read: async () => undefined },
      judgement,
      yieldWhenDue: async () => {},
    }),
    ...more,
  }
}

const tool = toolWith({ path: { type: 'string' } })
const call = callWith({ path: 'a.txt' })
const gather = async (more: Partial<FactsPorts> = {}) =>
  gatherFacts(await depsWith(more), call, tool, { integrity: 'intact' })

describe('facts', () => {
  test('that are all available do not make a harmless call suspicious', async () => {
    const facts = await gather()
    expect(facts).toMatchObject({
      pauses: [],
      files: { sandbox: { roots: ['/desk'] }, args: [{ at: '/path', leads: ['/desk/a.txt'] }] },
      traps: { files: [{ name: 'traps.files.0', path: '/bait' }] },
      budgets: [{ budget: 'b', left: 5, opened: false }],
      history: { rejections: [], earlier: 0 },
    })
    expect(decide(policy, call, facts).effect).toBe('allow')
  })

  test.each<[string, Partial<FactsPorts>, object]>([
    ['pauses', { tables: { ...tables, row: gone } }, { pauses: 'unknown' }],
    ['the history', { tables: { ...tables, list: gone } }, { history: 'unknown' }],
    ['the budgets', { accounts: { left: gone } }, { budgets: 'unknown' }],
    [
      'a path',
      { files: { ...files, look: () => ({ ...look, follow: async () => undefined }) } },
      { files: { args: [{ leads: 'unknown' }] } },
    ],
    [
      'a root and a honey file',
      { files: { ...files, configured: async () => undefined } },
      { files: { sandbox: { roots: 'unknown' } }, traps: { files: 'unknown' } },
    ],
  ])('law: %s that cannot be read are `unknown`, and the call is not allowed', async (_, broken, unknown) => {
    const facts = await gather(broken)
    expect(facts).toMatchObject(unknown)
    expect(decide(policy, call, facts).effect).not.toBe('allow')
  })

  test('are read in parallel, and those that others can change are read first: a slow store costs one wait, not one per fact', async () => {
    const order: string[] = []
    const waves: number[] = []
    let waiting: (() => void)[] = []
    let isDue = false
    /** Answers once nothing else is requested, like a remote store. */
    const slowly = <T>(name: string, value: T) => {
      order.push(name)
      return new Promise<T>((resolve) => {
        waiting.push(() => resolve(value))
        if (isDue) return
        isDue = true
        setTimeout(() => {
          isDue = false
          waves.push(waiting.length)
          const due = waiting
          waiting = []
          for (const answer of due) answer()
        })
      })
    }
    const facts = await gather({
      tables: {
        row: (table) => slowly(table, undefined),
        list: (table) => slowly(table, []),
        count: (table) => slowly(table, 0),
      },
      accounts: { left: () => slowly('accounts', undefined) },
      files: { ...files, configured: (path) => slowly('files', `/${path.replace(/^\.\//, '')}`) },
    })
    expect(facts).toMatchObject({ pauses: [], history: { earlier: 0 }, budgets: [{ left: 5 }] })
    expect(order.lastIndexOf('pauses')).toBe(order.filter((name) => name === 'pauses').length - 1)
    expect(new Set(order)).toEqual(new Set(['pauses', 'accounts', 'approvals', 'calls', 'files']))
    expect(waves).toHaveLength(1)
  })

  test('of very many or very long paths are not looked up, and not considered harmless', async () => {
    const long = { args: { path: 'x'.repeat(5000) }, verdict: { effect: 'block' } }
    const paths = Array.from({ length: 1001 }, (_, at) => `a/${at}`)
    const words = Array.from({ length: 6000 }, (_, at) => `a/${at}`).join(' ')
    const asked = { effect: 'ask', strength: 'strong' }
    for (const { args, verdict } of [long, { args: { paths }, verdict: asked }, { args: { words }, verdict: asked }]) {
      const many = callWith(args)
      const facts = await gatherFacts(await depsWith(), many, tool, { integrity: 'intact' })
      expect(decide(policy, many, facts)).toMatchObject(verdict)
    }
  })
})
