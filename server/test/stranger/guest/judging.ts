import type { Config } from '../../kernel/contract/config.ts'
import { ok } from '../../kernel/contract/problems.ts'
import type { Judging } from '../../kernel/decide/judging.ts'

declare module '../../kernel/decide/facts.ts' {
  interface Facts {
    /** What somebody is told whose arguments say "knock knock". */
    readonly knocks: { readonly says: string } | 'none'
  }
}
declare module '../../kernel/decide/judging.ts' {
  interface Judgement {
    readonly stranger: Config['stranger']
  }
}

export const judging: Judging = {
  settings: ({ stranger }) => ok({ stranger }),
  facts: [
    {
      name: 'knocks',
      gather: ({ judgement }, { canonical_args }) =>
        canonical_args.includes('knock knock') ? judgement.stranger : 'none',
      neutral: 'none',
    },
  ],
  deciders: [
    {
      name: 'stranger',
      rank: 900,
      judge: (_, __, { knocks, now }) =>
        knocks === 'none'
          ? []
          : [
              {
                decider: 'stranger',
                effect: 'block',
                rule: 'stranger.knocks',
                says: knocks.says,
                source: 'stranger',
                at: now,
              },
            ],
    },
  ],
}
