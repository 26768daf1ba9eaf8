import { CallerKind } from '../../kernel/contract/caller.ts'
import { isJsonObject, type Json } from '../../kernel/contract/json.ts'
import { RiskClass, ToolEffect } from '../../kernel/contract/tool.ts'
import { callFrom, type DescribedCall } from '../../kernel/policy/described-call.ts'
import { isMatch, namesOf } from '../../kernel/policy/match.ts'
import type { CompiledRule } from '../../kernel/policy/policy.ts'
import { type AskedPath, type Atoms, atomsOf } from './atoms.ts'
import { sampleCall } from './sample-call.ts'

/** Calls to try. `exact`: with respect to these conditions every call behaves like one of them. */
export type CallsToTry = { readonly calls: readonly DescribedCall[]; readonly exact: boolean }

/** Whether a schema guarantees that an argument exists and has the type it is compared with. */
export type Promised = (path: readonly string[]) => boolean

const MOST = 20_000
type Choice = (call: DescribedCall) => DescribedCall

/** Calls that the rule's `match` fits, with every combination of values that the conditions distinguish. */
export function callsToTry(rule: CompiledRule, others: readonly CompiledRule[], promised: Promised): CallsToTry {
  const base = sampleCall(rule.rule.match)
  if (base === undefined) return { calls: [], exact: false }
  const atoms = atomsOf([rule, ...others].flatMap(({ when }) => (when === undefined ? [] : [when.ast])))
  const { choices, exact } = choicesFor(atoms, promised)
  const size = choices.reduce((product, list) => product * list.length, 1)
  const calls: DescribedCall[] = []
  for (let number = 0; number < Math.min(size, MOST); number += 1) {
    const call = combination(choices, number, base)
    const { call: own, facts } = callFrom(call)
    if (isMatch(rule.match, namesOf(own, facts)) === true) calls.push(call)
  }
  return { calls, exact: exact && size <= MOST }
}

/** The combination with that number: each list of choices is a digit. */
function combination(choices: readonly (readonly Choice[])[], number: number, base: DescribedCall): DescribedCall {
  let rest = number
  let call = base
  for (const list of choices) {
    call = list[rest % list.length]?.(call) ?? call
    rest = Math.floor(rest / list.length)
  }
  return call
}

function choicesFor({ asked, exact }: Atoms, promised: Promised): { choices: Choice[][]; exact: boolean } {
  const all = withParents([...asked.values()])
  let sure = exact
  const choices = all.map((one): Choice[] => {
    const [variable, ...path] = one.path
    if (variable === 'args') return argumentChoices(path, one.values, promised)
    const known = KNOWN[one.path.join('.')]
    if (known === undefined) sure = false
    return known?.() ?? otherChoices(one)
  })
  // The parts of a timestamp are chosen together, or they would overwrite each other.
  const isTimed = all.filter(({ path }) => path[0] === 'time').length
  return { choices: choices.filter((list) => list.length > 0), exact: sure && isTimed <= 1 }
}

/** The parent `args.a` of `args.a.b` may be missing too. Parents come first. */
function withParents(asked: readonly AskedPath[]): AskedPath[] {
  const all = new Map(asked.map((one) => [one.path.join('.'), one]))
  for (const { path } of asked) {
    for (let length = 2; length < path.length; length += 1) {
      const parent = path.slice(0, length)
      const values = all.get(parent.join('.'))?.values ?? []
      if (path[0] === 'args') all.set(parent.join('.'), { path: parent, values: [...values, {}] })
    }
  }
  return [...all.values()].sort((a, b) => a.path.length - b.path.length)
}

function argumentChoices(path: readonly string[], values: readonly Json[], promised: Promised): Choice[] {
  if (path.length === 0) return []
  const tried = around(values).map((value): Choice => (call) => ({ ...call, args: withValue(call.args, path, value) }))
  return promised(path)
    ? tried
    : [(call) => call, ...tried, (call) => ({ ...call, args: withValue(call.args, path, odd(values)) })]
}

/** A value of a type that the condition does not expect. */
const odd = (values: readonly Json[]): Json => (values.some((value) => isJsonObject(value)) ? 'odd' : {})

/** Sets a value if its parent exists; a missing parent stays missing. */
function withValue(args: Json, path: readonly string[], value: Json): Json {
  const [key, ...rest] = path
  if (key === undefined) return value
  if (!isJsonObject(args) || (rest.length > 0 && args[key] === undefined)) return args
  return { ...args, [key]: withValue(args[key] ?? {}, rest, value) }
}

/** The values, one value on each side of every number, and a word that differs from all the words. */
function around(values: readonly Json[]): Json[] {
  const numbers = [...new Set(values.filter((value) => typeof value === 'number'))].sort((a, b) => a - b)
  const between = numbers.flatMap((number, at) => [number, ((numbers[at + 1] ?? number + 2) + number) / 2])
  const below = numbers.slice(0, 1).map((number) => number - 1)
  const words = new Set(values.filter((value) => typeof value === 'string'))
  let other = 'other'
  while (words.has(other)) other += 'x'
  const rest = values.filter((value) => typeof value !== 'number' && typeof value !== 'string')
  const distinct = new Map([...below, ...between, ...words, ...rest].map((value) => [JSON.stringify(value), value]))
  return [...distinct.values(), ...(words.size > 0 || values.length === 0 ? [other] : [])]
}

const HOUR = 3_600_000
/** Monday, 5 January 1970, at midnight. */
const MONDAY = 4 * 24 * HOUR
const EFFECT_SETS = Array.from({ length: 2 ** ToolEffect.options.length - 1 }, (_, set) =>
  ToolEffect.options.filter((_effect, at) => ((set + 1) >> at) % 2 === 1),
)

/** Values with few enough alternatives to try all. */
const KNOWN: Readonly<Record<string, () => Choice[]>> = {
  'tool.risk': () => RiskClass.options.map((risk) => (call) => ({ ...call, risk })),
  'tool.sandboxed': () => [true, false].map((sandboxed) => (call) => ({ ...call, sandboxed })),
  'tool.effects': () => EFFECT_SETS.map((effects) => (call) => ({ ...call, effects })),
  'caller.role': () => CallerKind.options.map((role) => (call) => ({ ...call, role })),
  'caller.kind': () => CallerKind.options.map((role) => (call) => ({ ...call, role })),
  'time.hour': () => Array.from({ length: 24 }, (_, hour) => (call) => ({ ...call, now: MONDAY + hour * HOUR })),
  'time.weekday': () => Array.from({ length: 7 }, (_, day) => (call) => ({ ...call, now: MONDAY + day * 24 * HOUR })),
}

/** Only the literals themselves, if not all alternatives can be tried. */
function otherChoices({ path, values }: AskedPath): Choice[] {
  const texts = values.filter((value) => typeof value === 'string')
  const name = path.join('.')
  const lists = values.filter((value): value is readonly string[] => Array.isArray(value))
  const stay: Choice = (call) => call
  if (name === 'caller.id') return [stay, ...texts.map((caller): Choice => (call) => ({ ...call, caller }))]
  if (name === 'caller.user') return [stay, ...texts.map((user): Choice => (call) => ({ ...call, user }))]
  if (name === 'session.lane') return [stay, ...texts.map((lane): Choice => (call) => ({ ...call, lane }))]
  if (name === 'session.id') return [stay, ...texts.map((thread): Choice => (call) => ({ ...call, thread }))]
  if (name === 'labels') return [stay, ...lists.map((labels): Choice => (call) => ({ ...call, labels }))]
  if (name === 'tool.tags') return [stay, ...lists.map((tags): Choice => (call) => ({ ...call, tags }))]
  if (name === 'time.clock') return [stay, ...texts.flatMap(clockChoices)]
  return [stay]
}

function clockChoices(clock: string): Choice[] {
  const [hour = 0, minute = 0] = clock.split(':').map(Number)
  const at = MONDAY + (hour * 60 + minute) * 60_000
  return Number.isNaN(at) ? [] : [at - 60_000, at, at + 60_000].map((now) => (call) => ({ ...call, now }))
}
