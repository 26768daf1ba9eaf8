import type { RunDetails } from '../api/types.ts'

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
  readonly status: RunDetails['status']
}

/** The graph of a run as it stood after so many entries of its journal. */
export function graphOf(run: RunDetails, upTo: number): Walked {
  const events = run.events.slice(0, upTo)
  const table = run.graph
  const nameOf = (event: RunDetails['events'][number]): string | undefined => {
    if (table === undefined) return event.type
    const last = event.key?.split('/').at(-1)
    return table.nodes.some(({ id }) => id === last) ? last : undefined
  }
  const path = events.flatMap((event) => nameOf(event) ?? [])
  const steps = path.slice(1).map((to, at) => [path[at] ?? '', to] as const)
  const current = path.at(-1)
  const timesOf = (id: string) => path.filter((name) => name === id).length
  const known = table ?? {
    nodes: [...new Set(path)].map((id) => ({ id, says: '' })),
    edges: [...new Map(steps.map(([from, to]) => [`${from} ${to}`, { from, to, when: '' }])).values()],
  }
  const lastStep = steps.at(-1)
  return {
    from: table === undefined ? 'journal' : 'table',
    status: run.status,
    nodes: known.nodes.map(({ id, says }) => ({ id, says, times: timesOf(id), here: id === current })),
    edges: known.edges.map(({ from, to, when }) => ({
      from,
      to,
      when,
      times: steps.filter(([a, b]) => a === from && b === to).length,
      last: lastStep?.[0] === from && lastStep[1] === to,
    })),
  }
}
