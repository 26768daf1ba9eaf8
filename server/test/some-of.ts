/** `npm run test:whole` runs every case of the long suites, `npm test` some of each. */
export const IS_WHOLE = process.env['SLUICE_TESTS'] === 'whole'

/** The first case and every nth after it. */
export const someOf = <Case>(cases: readonly Case[], nth: number): readonly Case[] =>
  IS_WHOLE ? cases : cases.filter((_, at) => at % nth === 0)

/** The first and the last case. */
export const endsOf = <Case>(cases: readonly Case[]): readonly Case[] =>
  IS_WHOLE || cases.length < 3 ? cases : cases.filter((_, at) => at === 0 || at === cases.length - 1)

/** Of a law with many random examples, a quarter. */
export const someRuns = (all: number): number => (IS_WHOLE ? all : Math.ceil(all / 4))
