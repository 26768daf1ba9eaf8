import type { Judging } from '../../kernel/decide/judging.ts'
import type { CompiledCapabilities } from './capabilities.ts'
import type { Documents } from './api.ts'
import { capabilitiesFact } from './facts/capabilities-fact.ts'
import { judgeDocument } from './judge-document.ts'

declare module '../../kernel/decide/facts.ts' {
  interface Facts {
    /** From the document whose run makes the call; absent if there is none. */
    readonly capabilities?: CompiledCapabilities | 'unknown'
  }
}

declare module '../../kernel/decide/judging.ts' {
  interface FactsPorts {
    /** Absent if no documents are run: then a call that names one is blocked. */
    readonly documents?: Pick<Documents, 'version'>
  }
}

export const judging: Judging = {
  facts: [{ name: 'capabilities', gather: capabilitiesFact }],
  deciders: [{ name: 'capabilities', rank: 160, judge: judgeDocument }],
  asksOf: ({ capabilities }) =>
    capabilities === undefined || capabilities === 'unknown' ? undefined : capabilities.asks,
}
