import { ok } from '../../kernel/contract/problems.ts'
import type { Judging } from '../../kernel/decide/judging.ts'
import { labelsFact, provenanceFact } from './facts/provenance-fact.ts'
import { judgeProvenanceOf } from './judge-provenance.ts'
import { valueSources } from './value-sources.ts'
import { openSessions } from './sessions.ts'

export const judging: Judging = {
  openSessions,
  settings: ({ provenance }) => ok({ provenance }),
  facts: [
    { name: 'labels', gather: labelsFact },
    { name: 'provenance', gather: provenanceFact },
  ],
  deciders: [{ name: 'provenance', rank: 130, judge: judgeProvenanceOf }],
  sourcesOf: valueSources,
}
