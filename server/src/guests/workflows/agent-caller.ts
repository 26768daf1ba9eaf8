import type { Caller } from '../../kernel/contract/caller.ts'
import type { DocumentHead } from './workflow.ts'

/** Key names contain no `/`, so nobody else is this caller. */
export const agentCaller = ({ name, owner }: Pick<DocumentHead, 'name' | 'owner'>): Caller => ({
  kind: 'agent',
  id: `agent:workflow/${name}`,
  user: owner,
})
