import { EXTERNAL_REF, isExternalRef } from './check-schemas.ts'
import type { LocatedDocument } from './locate-document.ts'
import {
  isRaw,
  listIn,
  mapIn,
  stepsIn,
  textIn,
  type DocumentFault,
  type DocumentPlace,
  type Raw,
  type RawStep,
} from './raw-document.ts'
import { typeNamed, PATH_FIELDS, STEP_TYPES, TEXT_FIELDS } from './steps/steps.ts'
import type { Json } from '../../kernel/contract/json.ts'
import { parseText, pathOfExpression, textsIn, type TemplatePath } from './templates.ts'

/** Checks that the schema alone cannot do: references, jumps, targets, templates and duplicate names. */
export function checkProtocols(located: LocatedDocument): DocumentFault[] {
  const workflow = mapIn(located.value, 'workflow')
  const protocols = listIn(workflow, 'protocols')
  return [
    ...protocols.flatMap((protocol, index) => checkProtocol(located, protocol, ['workflow', 'protocols', index])),
    ...repeated(located, protocols),
  ]
}

function repeated(located: LocatedDocument, protocols: readonly unknown[]): DocumentFault[] {
  const ids = new Set<string>()
  const triggers = new Set<string>()
  return protocols.flatMap((protocol, index) => {
    const path = ['workflow', 'protocols', index]
    const faults: DocumentFault[] = []
    const id = textIn(protocol, 'id')
    if (id !== undefined && ids.has(id))
      faults.push(located.at([...path, 'id'], `workflow protocol ${id}: duplicate protocol id`))
    if (id !== undefined) ids.add(id)
    const trigger = mapIn(protocol, 'trigger')
    const key = JSON.stringify([trigger['type'], trigger['prefix'] ?? ''])
    if (typeof trigger['type'] === 'string' && triggers.has(key))
      faults.push(
        located.at([...path, 'trigger'], `workflow protocol ${id ?? ''}: another protocol has the same trigger`),
      )
    triggers.add(key)
    return faults
  })
}

function checkProtocol(located: LocatedDocument, protocol: unknown, path: DocumentPlace): DocumentFault[] {
  const id = textIn(protocol, 'id') ?? ''
  const schemas = schemasOf(located)
  const input = isRaw(protocol) ? refFault(protocol, 'inputSchemaRef', id, undefined, schemas) : undefined
  const steps = stepsIn(protocol, path, (step) => typeNamed(step['type'])?.loop?.variable(step))
  return [
    ...(input === undefined ? [] : [located.at([...path, 'inputSchemaRef'], input)]),
    ...steps.flatMap((step) => checkStep(located, id, step, schemas)),
    ...repeatedIds(located, id, steps),
    ...checkStepTemplates(located, id, steps),
  ]
}

type Schemas = ReadonlySet<string> | undefined

function schemasOf(located: LocatedDocument): Schemas {
  const workflow = mapIn(located.value, 'workflow')
  return isRaw(workflow['schemas']) && Object.keys(workflow['schemas']).length > 0
    ? new Set(Object.keys(workflow['schemas']))
    : undefined
}

/** Operators search for these messages, so their exact wording is fixed. */
function refFault(
  owner: Raw,
  field: 'inputSchemaRef' | 'outputSchemaRef',
  id: string,
  step: string | undefined,
  schemas: Schemas,
): string | undefined {
  const ref = Object.hasOwn(owner, field) ? owner[field] : undefined
  if (ref === undefined || (ref !== null && typeof ref !== 'string')) return undefined
  if (ref === null || ref.trim() === '') return `workflow protocol ${id}: schema ref cannot be empty`
  if (isExternalRef(ref)) return EXTERNAL_REF
  if (schemas === undefined) return 'workflow schema ref requires workflow.schemas to be defined'
  if (schemas.has(ref)) return undefined
  return step === undefined
    ? `workflow protocol ${id}: input schema ref ${ref} not found`
    : `workflow protocol ${id}, step ${step}: output schema ref ${ref} not found`
}

function checkStep(located: LocatedDocument, id: string, raw: RawStep, schemas: Schemas): DocumentFault[] {
  const { step, path, number } = raw
  const where = `workflow protocol ${id}, step ${number}`
  const type = typeNamed(step['type'])
  if (type === undefined) {
    const name = step['type']
    const written = typeof name === 'string' ? name : name === undefined || name === null ? '' : JSON.stringify(name)
    return [located.at([...path, 'type'], `${where}: unknown step type "${written}"`)]
  }
  const ref = refFault(step, 'outputSchemaRef', id, number, schemas)
  return [
    ...(ref === undefined ? [] : [located.at([...path, 'outputSchemaRef'], ref)]),
    ...(type.check?.(raw, where, located) ?? []),
  ]
}

function repeatedIds(located: LocatedDocument, id: string, steps: readonly RawStep[]): DocumentFault[] {
  const seen = new Set<string>()
  return steps.flatMap(({ step, path, number }) => {
    const name = textIn(step, 'id')
    if (name === undefined) return []
    const isTwice = seen.has(name)
    seen.add(name)
    return isTwice
      ? [located.at([...path, 'id'], `workflow protocol ${id}, step ${number}: another step is called \`${name}\``)]
      : []
  })
}

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

type Written = { readonly text: string; readonly at: DocumentPlace; readonly mayHoldSecret: boolean }

/** Every template of a protocol has to parse, and no token may name something that can never exist. */
function checkStepTemplates(located: LocatedDocument, id: string, steps: readonly RawStep[]): DocumentFault[] {
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

const placeOf = (pointer: string): DocumentPlace =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key))

function expressionsOf({ step, path }: RawStep): { readonly text: string; readonly at: DocumentPlace }[] {
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
  path: TemplatePath,
  at: DocumentPlace,
  earlier: ReadonlySet<string | undefined>,
): DocumentFault[] {
  const says = neverThere(raw, path, earlier)
  return says === undefined ? [] : [located.at(at, `${where}: ${says}`)]
}

function neverThere(
  { number, variables }: RawStep,
  [root = '', name, inner]: TemplatePath,
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
