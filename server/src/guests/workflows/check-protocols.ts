import { checkStepTemplates } from './check-templates.ts'
import { EXTERNAL_REF, isExternalRef } from './check-schemas.ts'
import type { LocatedDocument } from './locate-document.ts'
import {
  isRaw,
  listIn,
  mapIn,
  stepsIn,
  textIn,
  type DocumentFault,
  type Place,
  type Raw,
  type RawStep,
} from './raw-document.ts'
import { typeNamed } from './steps/steps.ts'

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
