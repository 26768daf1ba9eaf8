import type { RunWithEvents } from '../api/types.ts'

export type WalkedNode = { readonly id: string; readonly says: string; readonly times: number; readonly here: boolean }
export type WalkedEdge = {
  readonly from: string
  readonly to: string
  readonly when: string
  readonly times: number
  readonly last: boolean
}

/** `table`: what the kind can do. `journal`: only what this run did, for kinds without a table. */
export type Walked = {
  readonly from: 'table' | 'journal'
  readonly nodes: readonly WalkedNode[]
  readonly edges: readonly WalkedEdge[]
  readonly status: RunWithEvents['status']
}

type Table = NonNullable<RunWithEvents['graph']>

/** The graph of a run after this many entries of its journal. */
export function graphOf(run: RunWithEvents, upTo: number): Walked {
  const table = run.graph
  const nameOf = (event: RunWithEvents['events'][number]): string | undefined => {
    if (table === undefined) return event.type
    const last = event.key?.split('/').at(-1)
    return table.nodes.some(({ id }) => id === last) ? last : undefined
  }
  const path = run.events.slice(0, upTo).flatMap((event) => nameOf(event) ?? [])
  return walkedOf(table, path, run.status)
}

/** The state table with the path of this run. Without a table, only the path. */
export function walkedOf(table: Table | undefined, path: readonly string[], status: RunWithEvents['status']): Walked {
  const steps = path.slice(1).map((to, at) => [path[at] ?? '', to] as const)
  const current = path.at(-1)
  const counts = countsOf(path)
  const known = table ?? {
    nodes: [...new Set(path)].map((id) => ({ id, says: '' })),
    edges: [...new Map(steps.map(([from, to]) => [`${from} ${to}`, { from, to, when: '' }])).values()],
  }
  const walked = countsOf(steps.map(([from, to]) => `${from} ${to}`))
  const lastStep = steps.at(-1)
  return {
    from: table === undefined ? 'journal' : 'table',
    status,
    nodes: known.nodes.map(({ id, says }) => ({ id, says, times: counts.get(id) ?? 0, here: id === current })),
    edges: merged(known.edges).map(({ from, to, when }) => ({
      from,
      to,
      when,
      times: walked.get(`${from} ${to}`) ?? 0,
      last: lastStep?.[0] === from && lastStep[1] === to,
    })),
  }
}

/** One line for each pair of nodes, however many conditions lead from one to the other. */
function merged(edges: Table['edges']): Table['edges'] {
  const pairs = Map.groupBy(edges, ({ from, to }) => `${from} ${to}`)
  return [...pairs.values()].flatMap((same) => {
    const [first] = same
    return first === undefined ? [] : [{ ...first, when: same.map(({ when }) => when).join(' · ') }]
  })
}

function countsOf(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
