import { specOf, type Problem } from '../kernel/contract/problems.ts'
import { locatedFaults } from './config-faults.ts'

/** A problem as lines for a person, with the place of every path if the configuration is at fault. */
export function problemText(problem: Problem, file?: string): readonly string[] {
  const { code, about } = problem
  const { says, do: remedy } = specOf(problem)
  const { paths } = about
  const placed = paths === undefined || file === undefined ? {} : { paths: locatedFaults(paths, file).join('\n    ') }
  const details = Object.entries({ ...about, ...placed }).flatMap(([name, value]) => `  ${name}: ${value}`.split('\n'))
  return [`${says} [${code}]`, ...details, `  ${remedy}`]
}
