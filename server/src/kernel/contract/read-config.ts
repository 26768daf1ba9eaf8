import type { z } from 'zod'
import type { Config } from './config.ts'
import { ok, refuse, type Result } from './problems.ts'
import { ONE_KIND } from './server-settings.ts'

/** The position of a path, `line 4` or the name of a variable, if the text is still known. */
export type PlaceOf = (path: readonly PropertyKey[]) => string | undefined

/** A mistake, by its path. `kind` is what a remedy depends on; values are not repeated, because they may be secrets. */
export type ConfigFault = {
  readonly path: readonly PropertyKey[]
  readonly says: string
  readonly kind: 'unknown_key' | 'wrong_type' | 'other'
}
/** What to write instead, if known. */
export type RemedyOf = (fault: ConfigFault) => string | undefined

/** Validates a parsed YAML value. Reports every fault. */
export function readConfig(
  schema: z.ZodType<Config>,
  value: unknown,
  placeOf: PlaceOf = () => undefined,
  remedyOf: RemedyOf = () => undefined,
): Result<Config> {
  const read = schema.safeParse(value ?? {})
  if (read.success) return ok(read.data)
  const faults = read.error.issues.flatMap((issue) => faultsOf(issue, []))
  const paths = faults.map((fault) => spell(fault, placeOf(fault.path), remedyOf(fault)))
  return refuse('config.invalid', { paths: paths.join('; ') })
}

function faultsOf(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): ConfigFault[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'invalid_union') {
    // Report the branch that was most likely meant: not one whose type is wrong at its root, and not one that excludes more of
    // the present keys.
    const possible = issue.errors.filter(
      (faults) => !faults.some((fault) => fault.path.length === 0 && isTypeFault(fault)),
    )
    const excluded = (faults: readonly z.core.$ZodIssue[]) => faults.filter(isExcluded).length
    const [meant] = possible.toSorted((one, other) => excluded(one) - excluded(other))
    const isAtRoot = meant?.every((fault) => fault.path.length === 0 && fault.code === 'invalid_format') === true
    if (isAtRoot && issue.message !== 'Invalid input') return [{ path, says: issue.message, kind: 'other' }]
    if (meant !== undefined && !meant.some(isRootValue)) return meant.flatMap((fault) => faultsOf(fault, path))
    const expected = issue.errors.flatMap((faults) => faults.flatMap(expectedOf))
    if (expected.length > 0) return [{ path, says: `write ${[...new Set(expected)].join(' or ')}`, kind: 'other' }]
  }
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...path, key], says: 'unknown key', kind: 'unknown_key' }))
  if (issue.code === 'invalid_key') return [{ path, says: issue.issues[0]?.message ?? issue.message, kind: 'other' }]
  return [{ path, says: plainly(issue.message), kind: isWrongType(issue) ? 'wrong_type' : 'other' }]
}

/** zod's message, reworded for somebody who writes YAML. */
const plainly = (message: string): string =>
  message
    .replace(/^Invalid input: expected .*, received undefined$/, 'missing')
    .replace(/^Invalid input: expected .*, received null$/, 'empty (or remove the key)')
    .replace(/^Invalid (?:input|option): /, '')
    .replace(/^expected \w+, received \w+$/, 'wrong type')
    .replace(
      /^Too (?:big|small): expected \w+ to (be|have) (.*)$/,
      (_, verb: string, bound: string) => `must ${verb} ${boundWords(bound)}`,
    )
    .replace(
      /^expected one of (.*)$/,
      (_, values: string) => `write one of ${values.replaceAll('"', '').replaceAll('|', ', ')}`,
    )

const boundWords = (bound: string): string =>
  bound.replace('<=', 'at most ').replace('>=', 'at least ').replace('<', 'less than ').replace('>', 'more than ')

/** A fixed word was expected where something else is written. */
const isRootValue = (fault: z.core.$ZodIssue) => fault.code === 'invalid_value' && fault.path.length === 0

const IN_YAML: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: '`true` or `false`',
  array: 'a list',
  object: 'keys below it',
  record: 'keys below it',
}

/** What one branch of a choice expects in place of the whole value. */
function expectedOf(fault: z.core.$ZodIssue): readonly string[] {
  if (fault.path.length > 0) return []
  if (fault.code === 'invalid_value') return fault.values.map((value) => `\`${String(value)}\``)
  const word = fault.code === 'invalid_type' ? IN_YAML[fault.expected] : undefined
  return word === undefined ? [] : [word]
}

const isExcluded = (fault: z.core.$ZodIssue) => fault.code === 'invalid_type' && fault.expected === 'never'
const isTypeFault = (fault: z.core.$ZodIssue) => fault.code === 'invalid_type'
const isWrongType = (fault: z.core.$ZodIssue) =>
  isTypeFault(fault) && !isExcluded(fault) && !fault.message.startsWith(ONE_KIND)

function spell({ path, says }: ConfigFault, place: string | undefined, remedy: string | undefined): string {
  const where = path.length === 0 ? 'the file' : path.map(String).join('.')
  const message = remedy === undefined ? says : `${says}, ${remedy}`
  return place === undefined ? `${where}: ${message}` : `${where} (${place}): ${message}`
}
