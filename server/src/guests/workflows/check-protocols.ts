import { STEP_TYPES, type DocumentFault } from './workflow-document.ts'
import { checkStepTemplates } from './check-templates.ts'
import { EXTERNAL_REF, isExternalRef } from './check-schemas.ts'
import type { LocatedDocument, Place } from './locate-document.ts'
import { isRaw, listIn, mapIn, stepsIn, textIn, type Raw, type RawStep } from './raw-document.ts'
import { toolIdOf } from './tool-names.ts'

/** How deep loops may be nested. */
const MOST_LOOPS = 3

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

function checkProtocol(located: LocatedDocument, protocol: unknown, path: Place): DocumentFault[] {
  const id = textIn(protocol, 'id') ?? ''
  const schemas = schemasOf(located)
  const input = isRaw(protocol) ? refFault(protocol, 'inputSchemaRef', id, undefined, schemas) : undefined
  const steps = stepsIn(protocol, path)
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
  const { step, path, number, depth } = raw
  const where = `workflow protocol ${id}, step ${number}`
  const faults: DocumentFault[] = []
  const type = step['type']
  if (!STEP_TYPES.some((known) => known === type)) {
    const written = typeof type === 'string' ? type : type === undefined || type === null ? '' : JSON.stringify(type)
    return [located.at([...path, 'type'], `${where}: unknown step type "${written}"`)]
  }
  const ref = refFault(step, 'outputSchemaRef', id, number, schemas)
  if (ref !== undefined) faults.push(located.at([...path, 'outputSchemaRef'], ref))
  if (type === 'for_each' && depth >= MOST_LOOPS)
    faults.push(located.at(path, `${where}: for_each is nested in more than ${MOST_LOOPS} loops`))
  if (type === 'branch') faults.push(...checkBranch(located, where, raw))
  if (type === 'send_message') faults.push(...checkTarget(located, where, raw))
  const tool = type === 'tool' ? textIn(step, 'tool') : undefined
  if (tool !== undefined && toolIdOf(tool) === undefined)
    faults.push(located.at([...path, 'tool'], `${where}: \`${tool}\` is not a tool; write \`server__tool\``))
  return faults
}

function checkBranch(
  located: LocatedDocument,
  where: string,
  { step, path, siblings, index }: RawStep,
): DocumentFault[] {
  const targetFault = (target: string | undefined, at: Place): DocumentFault[] => {
    if (target === undefined) return []
    const to = siblings.findIndex((one) => textIn(one, 'id') === target)
    if (to === -1) return [located.at(at, `${where}: unknown goto \`${target}\``)]
    return to > index ? [] : [located.at(at, `${where}: goto \`${target}\` leads backward`)]
  }
  const cases = listIn(step, 'when').flatMap((one, at) => {
    const caseAt = [...path, 'when', at]
    const op = textIn(one, 'op')
    const needsValue = op !== 'exists' && op !== 'not_exists'
    const hasValue = isRaw(one) && Object.hasOwn(one, 'value')
    return [
      ...targetFault(textIn(one, 'goto'), [...caseAt, 'goto']),
      ...(op !== undefined && needsValue && !hasValue ? [located.at(caseAt, `${where}: \`${op}\` needs a value`)] : []),
      ...(op === 'in' && hasValue && !Array.isArray(one['value'])
        ? [located.at([...caseAt, 'value'], `${where}: \`in\` needs a list`)]
        : []),
    ]
  })
  return [...cases, ...targetFault(textIn(step, 'default'), [...path, 'default'])]
}

function checkTarget(located: LocatedDocument, where: string, { step, path }: RawStep): DocumentFault[] {
  const alias = textIn(step, 'targetAlias')
  const targets = listIn(mapIn(located.value, 'messaging'), 'allowedTargets')
  if (alias === undefined || targets.some((target) => textIn(target, 'alias') === alias)) return []
  return [
    located.at(
      [...path, 'targetAlias'],
      `${where}: unknown targetAlias \`${alias}\`; messaging.allowedTargets does not name it`,
    ),
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
