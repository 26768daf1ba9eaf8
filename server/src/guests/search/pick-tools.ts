import type { SearchTuning } from './tuning.ts'

export type Candidate = {
  readonly doc: number
  readonly id: string
  readonly whole: number
  readonly clauses: readonly number[]
  /** For each word of the query: how well the tool matches it. Computed only for leading candidates. */
  readonly said: () => readonly number[]
}
/** `score` is a tool's own score, whatever was picked before it for the same words. */
export type Picked = { readonly candidate: Candidate; readonly score: number }

/** The first two places go by score alone, so that an equal rival of the first is always next to it. */
const BY_CLAIM = 2

/**
 * Ranks the candidates. With several clauses a tool counts by the clause it matches best and by a part of the rest, and a clause
 * that has a tool counts less for the next: a prompt with three requests gets three tools, not three variants of one. From the
 * third place on, words that the picked tools contain count less too, because the remaining words may be another request.
 * INVARIANT: scores never rise from one place to the next.
 */
export function pickTools(
  candidates: readonly Candidate[],
  clauses: number,
  count: number,
  tuning: SearchTuning,
): Picked[] {
  const open = Array.from({ length: clauses }, () => 1)
  const fresh: number[] = []
  // Best first: candidates that cannot win any more are not scored in detail.
  const claims = new Map(candidates.map((candidate) => [candidate, scoreOf(candidate, open, tuning)]))
  const left = new Set([...candidates].sort((a, b) => (claims.get(b) ?? 0) - (claims.get(a) ?? 0)))
  const picked: Picked[] = []
  while (picked.length < count && left.size > 0) {
    let best: (Picked & { counts: number }) | undefined
    for (const candidate of left) {
      const score = scoreOf(candidate, open, tuning)
      if (best !== undefined && score < best.counts) continue
      const counts = picked.length < BY_CLAIM ? score : score * freshness(candidate, fresh)
      if (best === undefined || counts > best.counts || (counts === best.counts && candidate.id < best.candidate.id))
        best = { candidate, score, counts }
    }
    if (best === undefined) break
    const { candidate, score } = best
    left.delete(candidate)
    picked.push({ candidate, score: Math.min(score, picked.at(-1)?.score ?? score) })
    const clause = mainClause(candidate, open)
    if (clauses > 1) open[clause] = (open[clause] ?? 1) * tuning.answered
    if (picked.length < count) wear(fresh, candidate, tuning)
  }
  return picked
}

/** Reduces the weight of words that a picked tool contains: the larger their share of its score, the more. */
function wear(fresh: number[], candidate: Candidate, { repeated }: SearchTuning): void {
  const said = candidate.said()
  const most = Math.max(0, ...said)
  for (const [at, says] of said.entries())
    if (says > 0) fresh[at] = (fresh[at] ?? 1) * (1 - (1 - repeated) * (says / most))
}

/** The share of a tool's words that still counts. */
function freshness(candidate: Candidate, fresh: readonly number[]): number {
  let all = 0
  let counts = 0
  for (const [at, says] of candidate.said().entries()) {
    all += says
    counts += says * (fresh[at] ?? 1)
  }
  return all === 0 ? 1 : counts / all
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

function scoreOf(candidate: Candidate, open: readonly number[], tuning: SearchTuning): number {
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
