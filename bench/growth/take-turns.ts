import { quantile } from '../bench.ts'

export type GrowthRow = {
  readonly what: string
  readonly from: number
  readonly to: number
  readonly ratio: number
  readonly from_p50_ms: number
  readonly to_p50_ms: number
}

export type Turns<Subject> = {
  readonly what: string
  /** How much each of the two has stored. */
  readonly from: number
  readonly to: number
  readonly few: Subject
  readonly many: Subject
  readonly warm_up: number
  readonly rounds: number
  readonly act: (subject: Subject, round: number, size: number) => Promise<unknown>
}

const round3 = (value: number): number => Math.round(value * 1000) / 1000

/** The two take turns, so that other load on the machine affects both. */
export async function takeTurns<Subject>(turns: Turns<Subject>): Promise<GrowthRow> {
  const { what, from, to, few, many, warm_up, rounds, act } = turns
  const sides = [
    { subject: few, size: from, times: new Array<number>() },
    { subject: many, size: to, times: new Array<number>() },
  ] as const
  for (let round = 0; round < warm_up + rounds; round += 1)
    for (const { subject, size, times } of sides) {
      const begun = performance.now()
      await act(subject, round, size)
      if (round >= warm_up) times.push(performance.now() - begun)
    }
  const [from_p50_ms = 0, to_p50_ms = 0] = sides.map(({ times }) =>
    round3(
      quantile(
        times.toSorted((a, b) => a - b),
        0.5,
      ),
    ),
  )
  return { what, from, to, ratio: Math.round((to_p50_ms / from_p50_ms) * 100) / 100, from_p50_ms, to_p50_ms }
}
