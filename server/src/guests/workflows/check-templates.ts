import type { Json } from '../../kernel/contract/json.ts'
import type { LocatedDocument } from './locate-document.ts'
import { listIn, textIn, type DocumentFault, type Place, type RawStep } from './raw-document.ts'
import { PATH_FIELDS, STEP_TYPES, TEXT_FIELDS, typeNamed } from './steps/steps.ts'
import { parseText, pathOfExpression, textsIn, type Path } from './templates.ts'

const ROOTS = ['input', 'state', 'steps', 'output', 'store', 'run', 'now']
const RUN_FIELDS = [
  'id',
  'trace',
  'document',
  'version',
  'protocol',
  'sender',
  'room',
  'started_at',
  'source',
  'message',
]

type Written = { readonly text: string; readonly at: Place; readonly mayHoldSecret: boolean }

/** Every template of a protocol has to parse, and no token may name something that can never exist. */
export function checkStepTemplates(located: LocatedDocument, id: string, steps: readonly RawStep[]): DocumentFault[] {
  const secrets = new Set(listIn(located.value, 'secrets').map((one) => textIn(one, 'name')))
  return steps.flatMap((raw, order) => {
    const where = `workflow protocol ${id}, step ${raw.number}`
    const earlier = new Set(steps.slice(0, order).map(({ step }) => textIn(step, 'id')))
    const texts = textsOf(raw).flatMap(({ text, at, mayHoldSecret }) => {
      const parsed = parseText(text)
      if (!parsed.ok) return [located.at(at, `${where}: ${parsed.says}`)]
      return parsed.parts.flatMap((part) => {
        if (part.is === 'text') return []
        if (part.is === 'value') return pathFault(located, where, raw, part.path, at, earlier)
        if (!mayHoldSecret || parsed.parts.length > 1)
          return [located.at(at, `${where}: a secret must be the whole text of a field in \`argsTemplate\``)]
        return secrets.has(part.name)
          ? []
          : [located.at(at, `${where}: no entry of \`secrets\` is called \`${part.name}\``)]
      })
    })
    const expressions = expressionsOf(raw).flatMap(({ text, at }) => {
      const path = pathOfExpression(text)
      return path === undefined
        ? [located.at(at, `${where}: \`${text.slice(0, 80)}\` is not a path`)]
        : pathFault(located, where, raw, path, at, earlier)
    })
    return [...texts, ...expressions]
  })
}

function textsOf({ step, path }: RawStep): Written[] {
  const plain = TEXT_FIELDS.flatMap((field) => {
    const text = textIn(step, field)
    return text === undefined ? [] : [{ text, at: [...path, field], mayHoldSecret: false }]
  })
  const value = typeNamed(step['type'])?.value
  if (value === undefined || !Object.hasOwn(step, value.field)) return plain
  const { field, mayHoldSecret } = value
  const nested = textsIn(step[field] as Json)
  return [
    ...plain,
    ...nested.map(({ text, pointer }) => ({ text, at: [...path, field, ...placeOf(pointer)], mayHoldSecret })),
  ]
}

const placeOf = (pointer: string): Place =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key))

function expressionsOf({ step, path }: RawStep): { readonly text: string; readonly at: Place }[] {
  const own = PATH_FIELDS.flatMap((field) => {
    const text = textIn(step, field)
    return text === undefined || text === '' ? [] : [{ text, at: [...path, field] }]
  })
  const others = STEP_TYPES.flatMap(({ pathsIn }) => pathsIn?.(step) ?? [])
  return [...own, ...others.map(({ text, at }) => ({ text, at: [...path, ...at] }))]
}

function pathFault(
  located: LocatedDocument,
  where: string,
  raw: RawStep,
  path: Path,
  at: Place,
  earlier: ReadonlySet<string | undefined>,
): DocumentFault[] {
  const says = neverThere(raw, path, earlier)
  return says === undefined ? [] : [located.at(at, `${where}: ${says}`)]
}

function neverThere(
  { number, variables }: RawStep,
  [root = '', name, inner]: Path,
  earlier: ReadonlySet<string | undefined>,
): string | undefined {
  const name_ = String(name ?? '')
  if (variables.includes(String(root))) return undefined
  if (!ROOTS.includes(String(root)))
    return `\`${String(root)}\` is neither a root of templates nor the variable of a loop`
  if (root === 'state' && name !== undefined && !earlier.has(name_)) return `no earlier step is called \`${name_}\``
  if (root === 'run' && name !== undefined && !RUN_FIELDS.includes(name_)) return `\`run\` has no \`${name_}\``
  if (root !== 'steps' || name === undefined) return undefined
  const index = /^step_(\d{1,6})$/.exec(name_)?.[1]
  if (index === undefined) return `\`steps.${name_}\` is not a step; write \`steps.step_0\``
  const [top = 0, own] = number.split('.').map(Number)
  const isInside = own !== undefined && Number(index) === top && (typeof inner !== 'number' || inner < own)
  return Number(index) < top || isInside ? undefined : `step ${index} does not come before step ${number}`
}
