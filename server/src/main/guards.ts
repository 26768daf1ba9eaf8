import type { DoctorFinding } from '../kernel/contract/doctor.ts'
import { ok, refuse, type Result } from '../kernel/contract/problems.ts'
import type { Guest } from '../kernel/registries.ts'
import { GUARDS } from './guests.ts'

/** A gate starts without a guard only if its configuration says so. */
export function checkGuards(guests: readonly Guest[], without: readonly string[]): Result<void> {
  const unknown = without.find((name) => !GUARDS.includes(name))
  if (unknown !== undefined)
    return refuse('config.invalid', {
      paths: `guards.without: \`${unknown}\` is not a guard; the guards are ${GUARDS.join(', ')}`,
    })
  const absent = absentGuards(guests).find((name) => !without.includes(name))
  if (absent === undefined) return ok(undefined)
  const paths = `guards.without: this build has no guest \`${absent}\`, which protects calls; to start without it, write \`guards: { without: [${absent}] }\``
  return refuse('config.invalid', { paths })
}

export const absentGuards = (guests: readonly Guest[]): readonly string[] =>
  GUARDS.filter((guard) => guests.every(({ name }) => name !== guard))

export const saysAbsent = (guard: string): string => `this build has no \`${guard}\`: calls are judged without it`

export const guardFindings = (guests: readonly Guest[]): readonly DoctorFinding[] =>
  absentGuards(guests).map((guard) => ({
    severity: 'warning',
    about: 'guards',
    says: saysAbsent(guard),
    do: 'use a build with it',
  }))
