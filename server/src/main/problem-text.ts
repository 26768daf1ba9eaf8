import { PROBLEMS, type Problem } from '../kernel/contract/problems.ts'
import { locatedFaults } from './config-faults.ts'

/** A problem as lines for a person, with the place of every path if the configuration is at fault. */
export function problemText({ code, about }: Problem, file?: string): readonly string[] {
  const { says, do: remedy } = PROBLEMS[code]
  const { paths } = about
  const placed = paths === undefined || file === undefined ? {} : { paths: locatedFaults(paths, file).join('\n    ') }
  const details = Object.entries({ ...about, ...placed }).flatMap(([name, value]) => `  ${name}: ${value}`.split('\n'))
  return [`${says} [${code}]`, ...details, `  ${remedy}`]
}
