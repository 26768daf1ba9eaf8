import type { CommandSettings } from './command-settings.ts'
import { partsOf, type Part } from './command-template.ts'
import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import { Bug } from '../../kernel/contract/problems.ts'

export type FilledCommand =
  | {
      readonly ok: true
      readonly program: string
      readonly args: readonly string[]
      readonly stdin: string | undefined
    }
  | { readonly ok: false; readonly says: string }

type Shape = Pick<CommandSettings, 'run' | 'params' | 'stdin'>
type Values = ReadonlyMap<string, Json>
type Element = { readonly texts: readonly string[] } | { readonly says: string } | 'left_out'

/**
 * The program's arguments with the call's values filled in.
 * INVARIANT: a value is never more than the one argument it is part of (a list: one per item), and never starts an argument with
 * `-` before a `--`, unless the operator allows it (laws in fill-command.test.ts).
 */
export function fillCommand(command: Shape, given: JsonObject): FilledCommand {
  const values = valuesOf(command, given)
  const [program, ...rest] = command.run
  if (typeof program !== 'string') throw new Bug('the configuration names a program')
  const args: string[] = []
  // Only the operator's own `--` counts, not one given as a value.
  let options_end = false
  for (const element of rest) {
    if (element === '--') options_end = true
    const filled =
      typeof element === 'string'
        ? one(element, values, command, options_end)
        : group(element, values, command, options_end)
    if (filled === 'left_out') continue
    if ('says' in filled) return { ok: false, says: filled.says }
    args.push(...filled.texts)
  }
  const stdin = command.stdin === undefined ? undefined : stdinOf(command.stdin, values)
  return { ok: true, program: plain(program), args, stdin }
}

function valuesOf({ params }: Shape, given: JsonObject): Values {
  const values = new Map<string, Json>()
  for (const [name, param] of Object.entries(params)) {
    const value = Object.hasOwn(given, name) ? given[name] : param.default
    if (value !== undefined && value !== null) values.set(name, value)
  }
  return values
}

/** Omitted as a whole if a value is absent or a condition does not hold. */
function group(elements: readonly string[], values: Values, command: Shape, options_end: boolean): Element {
  const texts: string[] = []
  let ended = options_end
  for (const element of elements) {
    if (element === '--') ended = true
    const [first] = read(element)
    if (first?.is === 'when') {
      if (values.get(first.name) !== true) return 'left_out'
      continue
    }
    const filled = one(element, values, command, ended)
    if (filled === 'left_out' || 'says' in filled) return filled
    texts.push(...filled.texts)
  }
  return { texts }
}

function one(element: string, values: Values, command: Shape, options_end: boolean): Element {
  const parts = read(element)
  const [first] = parts
  if (parts.some((part) => part.is !== 'text' && !values.has(part.name))) return 'left_out'
  if (first?.is === 'when') return 'left_out'
  const list = first?.is === 'value' ? values.get(first.name) : undefined
  const texts = Array.isArray(list)
    ? list.map((item) => spell(item as Json))
    : [parts.map((part) => textOf(part, values)).join('')]
  if (texts.some((text) => text.includes('\0'))) return { says: 'a program takes no NUL character' }
  const takes_dash = parts.every((part) => part.is !== 'value' || command.params[part.name]?.dash === true)
  if (first?.is !== 'value' || options_end || takes_dash) return { texts }
  return texts.some((text) => text.startsWith('-'))
    ? { says: `/${first.name} must not start with \`-\`: the program could read it as an option` }
    : { texts }
}

const stdinOf = (template: string, values: Values) =>
  read(template)
    .map((part) => textOf(part, values))
    .join('')

function textOf(part: Part, values: Values): string {
  if (part.is === 'text') return part.text
  return part.is === 'value' ? spell(values.get(part.name) ?? '') : ''
}

const spell = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

function read(template: string): readonly Part[] {
  const parts = partsOf(template)
  if (parts === undefined) throw new Bug('a template was read when the configuration was')
  return parts
}

const plain = (template: string) =>
  read(template)
    .map((part) => (part.is === 'text' ? part.text : ''))
    .join('')
