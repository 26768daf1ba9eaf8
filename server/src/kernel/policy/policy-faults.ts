import type { z } from 'zod'
import { Match, PolicyFile, type PolicyFault, Rule } from '../contract/policy.ts'
import type { LocatedYaml, YamlPath } from './located-yaml.ts'
import { nearest } from '../text/nearest.ts'

/** One line for a terminal: where, what is wrong, what to write instead. */
export function spellFault({ file, line, column, says, instead }: PolicyFault): string {
  return `${file}:${line}:${column}: ${says}; ${instead}`
}

type Issue = z.core.$ZodIssue
type Fault = Omit<PolicyFault, 'file'>

/** What to write, by the last key of the path. */
const WRITE: Readonly<Record<string, string>> = {
  preset: 'write one of `observe`, `careful`, `strict`',
  rules: 'write a list of rules, each starting with `- id:`',
  id: 'write 1 to 64 lower-case letters, digits, `.`, `_` or `-`, starting with a letter or digit',
  effect: 'write one of `allow`, `ask`, `block`',
  strength: 'write one of `simple`, `strong`, `two_person`',
  preview: 'write `true` or `false`',
  match: 'write the fields to match, such as `tool: mail__send`',
  when: 'write a condition of 1 to 2000 characters, such as `args.amount > 100`',
  says: 'write the reason in 1 to 300 characters, for the person who reads it',
  effects: 'write one or more of `read`, `write`, `destructive`, `external`, `privileged`',
  risk: 'write one or more of `low`, `medium`, `high`, `critical`',
  role: 'write one or more of `agent`, `user`, `approver`, `reviewer`, `admin`, `node`',
}
const A_NAME = 'write a name or a glob of 1 to 128 characters, or a list of them'
const A_RULE = 'write a rule: `id`, `effect`, `match`, `says`'
const A_FILE = 'write `preset: careful`, and `rules:` below it'

/**
 * Converts a schema issue to positions in the file and messages for its author. `root` is the path of the policy in the document.
 */
export function faultsOfIssue(issue: Issue, yaml: LocatedYaml, root: YamlPath, above: YamlPath = []): Fault[] {
  const path: YamlPath = [...above, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))]
  const full = [...root, ...path]
  if (issue.code === 'invalid_union') {
    // A single word and a list fail differently; report the alternative the author used.
    const branch = issue.errors[Array.isArray(valueAt(yaml.value, full)) ? 1 : 0] ?? []
    return branch.flatMap((inner) => faultsOfIssue(inner, yaml, root, path))
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ ...yaml.placeOfKey(full, key), ...unknownKey(key, path) }))
  }
  const key = lastKey(path)
  const value = valueAt(yaml.value, full)
  if (value === undefined && typeof path.at(-1) === 'string') {
    return [{ ...yaml.placeOf(full.slice(0, -1)), says: `the rule has no \`${key}\``, instead: writeFor(path) }]
  }
  if (issue.code === 'invalid_value' && typeof value === 'string') {
    const meant = nearest(value, issue.values.map(String))
    const instead = meant === undefined ? writeFor(path) : `${writeFor(path)}; did you mean \`${meant}\`?`
    return [{ ...yaml.placeOf(full), says: `\`${shorten(value)}\` is not a known value for \`${key}\``, instead }]
  }
  const what = key === '' ? (path.length === 0 ? 'the policy' : 'this') : `\`${key}\``
  return [{ ...yaml.placeOf(full), says: `${what} cannot be ${describe(value)}`, instead: writeFor(path) }]
}

function unknownKey(key: string, path: YamlPath): Pick<PolicyFault, 'says' | 'instead'> {
  const known = Object.keys(path.length === 0 ? PolicyFile.shape : path.at(-1) === 'match' ? Match.shape : Rule.shape)
  const meant = nearest(key, known)
  const list = known.map((word) => `\`${word}\``).join(', ')
  return {
    says: `unknown key \`${shorten(key)}\``,
    instead: meant === undefined ? `write one of ${list}` : `write \`${meant}\``,
  }
}

function writeFor(path: YamlPath): string {
  const last = path.at(-1)
  if (last === undefined) return A_FILE
  if (typeof last === 'number' && path.length === 2) return A_RULE
  return WRITE[lastKey(path)] ?? A_NAME
}

function lastKey(path: YamlPath): string {
  return path.length === 2 && typeof path[1] === 'number'
    ? ''
    : (path.findLast((step) => typeof step === 'string') ?? '')
}

function describe(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'empty'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'this list'
  if (typeof value === 'object') return 'a map'
  return `\`${shorten(typeof value === 'string' ? value : JSON.stringify(value))}\``
}

const shorten = (text: string) => (text.length > 60 ? `${text.slice(0, 57)}…` : text)

/** The value at a path, or undefined. */
export function valueAt(value: unknown, path: YamlPath): unknown {
  let at: unknown = value
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Record<string | number, unknown>)[step]
  }
  return at
}
