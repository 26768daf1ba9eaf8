import { specOf, type Problem } from '../contract/problems.ts'
import { quoted, visibleText } from '../contract/visible-text.ts'

const LONGEST_REASON = 500

/** A problem in one sentence, with its code and what it is about. */
export function sayProblem(problem: Problem): string {
  const { code, about } = problem
  const reason = about['reason'] === undefined ? undefined : quoted(about['reason'], LONGEST_REASON)
  const more = reason ?? visibleText(about['says'] ?? about['paths'] ?? '')
  return `${specOf(problem).says}${more === '' ? '' : `: ${more}`} [${code}]`
}
