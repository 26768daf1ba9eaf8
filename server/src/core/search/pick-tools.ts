import type { Tuning } from './tuning.ts'

export type Candidate = {
  readonly doc: number
  readonly id: string
  readonly whole: number
  readonly clauses: readonly number[]
}
export type Picked = { readonly candidate: Candidate; readonly score: number }

/**
 * Ranks the candidates. With several clauses a tool counts by the clause it answers best and by a part of the rest, and a clause
 * that has its tool counts less for the next: a prompt with three wishes gets three tools, not three variants of one.
 */
export function pickTools(candidates: readonly Candidate[], clauses: number, count: number, tuning: Tuning): Picked[] {
  const open = Array.from({ length: clauses }, () => 1)
  const left = new Set(candidates)
  const picked: Picked[] = []
  while (picked.length < count && left.size > 0) {
    let best: Picked | undefined
    for (const candidate of left) {
      const score = scoreOf(candidate, open, tuning)
      if (best === undefined || score > best.score || (score === best.score && candidate.id < best.candidate.id))
        best = { candidate, score }
    }
    if (best === undefined) break
    left.delete(best.candidate)
    picked.push(best)
    const clause = mainClause(best.candidate, open)
    if (clauses > 1) open[clause] = (open[clause] ?? 1) * tuning.answered
  }
  return picked
}

function mainClause({ clauses }: Candidate, open: readonly number[]): number {
  let main = 0
  let most = 0
  for (const [at, score] of clauses.entries()) {
    const counts = score * (open[at] ?? 1)
    if (counts > most) [main, most] = [at, counts]
  }
  return main
}

function scoreOf(candidate: Candidate, open: readonly number[], tuning: Tuning): number {
  if (open.length < 2) return candidate.whole
  let most = 0
  let rest = candidate.whole
  for (const [at, score] of candidate.clauses.entries()) {
    const counts = score * (open[at] ?? 1)
    if (counts > most) most = counts
    rest -= score - counts
  }
  return most + tuning.whole * (rest - most)
}
