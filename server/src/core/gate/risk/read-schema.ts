import { isJsonObject, type Json, type JsonObject } from '../../../contract/json.ts'
import {
  ACTION_PARAMS,
  CODE_NOUNS,
  NOUNISH,
  READ_PARAMS,
  RECIPIENT_PARAMS,
  SHELL_NOUNS,
  WRITE_PARAMS,
} from './lexicon.ts'
import { verbClassOf } from './read-name.ts'
import type { Sign } from './sign.ts'
import { splitWords, verbIn } from './split-words.ts'

/**
 * What the parameters say; `runs` is whether the tool may run the code it is given rather than look at it.
 * Order of properties and of enum values does not matter: both are sorted first.
 */
export function readSchema(schema: JsonObject, runs: boolean): Sign[] {
  const params = paramsOf(schema)
  const names = [...new Set(params.map(([name]) => name))]
  const signs = params.flatMap(([name, param]) => paramSigns(name, param, runs))
  return [...signs, ...atMost(2, names, WRITE_PARAMS, 'write'), ...atMost(2, names, READ_PARAMS, 'read')]
}

/** A schema may spread its parameters over alternatives, one per action. */
function paramsOf(schema: JsonObject): (readonly [string, Json])[] {
  const branches = [schema, ...['anyOf', 'oneOf', 'allOf'].flatMap((key) => listOf(schema[key]))]
  return branches
    .flatMap((branch) => (isJsonObject(branch) && isJsonObject(branch['properties']) ? [branch['properties']] : []))
    .flatMap((properties) => Object.entries(properties))
    .sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
}

function paramSigns(name: string, schema: Json, runs: boolean): Sign[] {
  const key = snake(name)
  const signs: Sign[] = []
  if (ACTION_PARAMS.has(key)) signs.push(...actionSigns(name, isJsonObject(schema) ? schema : {}))
  if (RECIPIENT_PARAMS.has(key)) signs.push(sign('external', `takes "${name}"`, 1))
  if (CODE_NOUNS.has(key) && runs)
    signs.push({ ...sign('write', `runs "${name}"`, 1), forbids_read: 'unless_promised' })
  if (SHELL_NOUNS.has(key)) signs.push(sign('privileged', `runs "${name}"`, 1))
  return signs
}

/** A parameter that chooses the action: the tool can do the worst of its values. */
function actionSigns(name: string, schema: JsonObject): Sign[] {
  const values = enumOf(schema)
  if (values.length === 0) return describedActions(name, schema)
  const classes = values.map((value) => [value, verbClassOf(value)] as const)
  const first = (wanted: string): string | undefined => classes.find(([, is]) => is === wanted)?.[0]
  const destructive = first('destructive')
  const write = destructive ?? first('write')
  if (write !== undefined) {
    const says = `"${name}" can be "${write}"`
    const signs: Sign[] = [{ ...sign('write', says, 4), forbids_read: 'always' }]
    return destructive === undefined ? signs : [...signs, sign('destructive', says, 4)]
  }
  const allRead = classes.every(([, is]) => is === 'read')
  return allRead ? [sign('read', `every "${name}" reads`, 2)] : []
}

function describedActions(name: string, schema: JsonObject): Sign[] {
  const text = typeof schema['description'] === 'string' ? schema['description'].slice(0, 1_000) : ''
  const verb = splitWords(text)
    .map((word) => verbIn(word))
    .find(
      (found) =>
        found?.form === 'base' && !NOUNISH.has(found.verb) && (found.is === 'write' || found.is === 'destructive'),
    )
  return verb === undefined ? [] : [sign('write', `"${name}" can be "${verb.verb}"`, 3)]
}

function enumOf(schema: JsonObject): string[] {
  const options = [schema, ...listOf(schema['anyOf']), ...listOf(schema['oneOf']), schema['items'] ?? null]
  const values = options
    .filter((option) => isJsonObject(option))
    .flatMap((option) => [...listOf(option['enum']), option['const'] ?? null])
  return values.filter((value) => typeof value === 'string').sort()
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])
const snake = (name: string): string => splitWords(name).join('_')

function atMost(most: number, names: readonly string[], set: ReadonlySet<string>, effect: 'read' | 'write'): Sign[] {
  return names
    .filter((name) => set.has(snake(name)))
    .slice(0, most)
    .map((name) => sign(effect, `takes "${name}"`, 1))
}

const sign = (effect: Sign['effect'], evidence: string, weight: number): Sign => ({
  effect,
  from: 'schema',
  evidence,
  weight,
})
