import type { Judging } from '../../kernel/decide/judging.ts'

declare module '../../kernel/decide/facts.ts' {
  interface Facts {
    /** Whether the arguments say "knock knock". */
    readonly knocks: boolean
  }
}

export const judging: Judging = {
  facts: [{ name: 'knocks', gather: (_, call) => call.canonical_args.includes('knock knock') }],
  deciders: [
    {
      name: 'stranger',
      rank: 900,
      judge: (_, __, { knocks, now }) =>
        knocks
          ? [
              {
                decider: 'stranger',
                effect: 'block',
                rule: 'stranger.knocks',
                says: 'nobody is at home',
                source: 'stranger',
                at: now,
              },
            ]
          : [],
    },
  ],
}
