import type { CallerNames } from '../../kernel/contract/caller-identity.ts'
import type { Notices } from '../../kernel/ports/notices.ts'
import type { Tables } from '../../kernel/ports/reads.ts'
import { isOfNode, signReply, type SignDeps } from './sign-reply.ts'

export type WatchDecisionsDeps = SignDeps & {
  readonly tables: Tables
  readonly notices: Pick<Notices, 'subscribe'>
}

export type DecidedForNode = { readonly node: CallerNames; readonly reply: string }

/** Reports decisions about requests of nodes as they are made. Only a hint: a missed one is asked for. Returns a function that stops it. */
export function watchDecisions(deps: WatchDecisionsDeps, listener: (decided: DecidedForNode) => void): () => void {
  const look = async (id: string): Promise<void> => {
    const row = (await deps.tables.row('approvals', id))?.row
    if (row === undefined || !isOfNode(row) || row.state === 'pending') return
    const reply = await signReply(deps, row)
    if (reply.ok && reply.value !== undefined) listener({ node: row.caller, reply: reply.value })
  }
  return deps.notices.subscribe('rows', (rows) => {
    for (const { table, id } of rows) if (table === 'approvals') void look(id).catch(() => undefined)
  })
}
