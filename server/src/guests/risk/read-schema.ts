import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import {
  ACTION_PARAMS,
  CODE_NOUNS,
  NOUNISH,
  READ_PARAMS,
  RECIPIENT_PARAMS,
  SHELL_NOUNS,
  EGRESS_VERBS,
  WRITE_PARAMS,
} from '../../kernel/text/lexicon.ts'
import { verbClassOf } from './read-name.ts'
import type { Sign } from './sign.ts'
import { splitWords, verbIn } from '../../kernel/text/split-words.ts'

/** Tools whose name starts with one of these analyze the code they are given; any other tool may run it. */
const LOOKS_AT_CODE: ReadonlySet<string> = new Set(
  'analyse analyze check compare count describe detect diff explain inspect summarise summarize validate'.split(' '),
)
/** Code that a reading tool may analyze; a statement, a script or a command is meant to be run. */
const READABLE_CODE: ReadonlySet<string> = new Set(['code', 'javascript', 'js', 'python'])
/** Parameters that only a tool with an effect has: a read needs no confirmation. */
const COMMITTING: ReadonlySet<string> = new Set(
  `autoconfirm commit_message confirm confirmed create_if_missing dry_run dryrun force idempotency_key overwrite upsert
  validate_only`.split(/\s+/),
)

/**
 * What the parameters mean; `name` decides whether the tool may run the code it is given rather than analyze it. Properties and
 * enum values are sorted first, so their order does not matter.
 */
export function readSchema(schema: JsonObject, name: string): Sign[] {
  const looks = splitWords(name).some((word) => LOOKS_AT_CODE.has(word))
  const reads = verbClassOf(name) === 'read' && !/query/i.test(name)
  const runs = (noun: string) => !looks && (!reads || !READABLE_CODE.has(noun))
  const params = paramsOf(schema)
  const names = [...new Set(params.map(([name]) => name))]
  const isRequest = names.some((one) => ADDRESSES.has(snake(one))) && names.some((one) => BODIES.has(snake(one)))
  const signs = params.flatMap(([name, param]) => paramSigns(name, param, { runs, isRequest }))
  const stored = names.find((one) => STORED.test(snake(one)))
  if (stored !== undefined) signs.push({ ...sign('read', `takes "${stored}"`, 0), names_stored: true })
  return [...signs, ...atMost(2, names, WRITE_PARAMS, 'write'), ...atMost(2, names, READ_PARAMS, 'read')]
}

/** The id of something that is stored somewhere. */
const STORED = /(?:^|_)(?:ids?|uuid|guid)$/

type Context = {
  readonly runs: (noun: string) => boolean
  /** Takes an address and something to send there. */
  readonly isRequest: boolean
}
const ADDRESSES: ReadonlySet<string> = new Set(['endpoint', 'path', 'uri', 'url'])
const BODIES: ReadonlySet<string> = new Set(['body', 'data', 'headers', 'json', 'payload', 'request_body'])

/** A schema may spread its parameters over alternatives, one per action. */
function paramsOf(schema: JsonObject): (readonly [string, Json])[] {
  const branches = [schema, ...['anyOf', 'oneOf', 'allOf'].flatMap((key) => listOf(schema[key]))]
  return branches
    .flatMap((branch) => (isJsonObject(branch) && isJsonObject(branch['properties']) ? [branch['properties']] : []))
    .flatMap((properties) => Object.entries(properties))
    .sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
}

function paramSigns(name: string, schema: Json, { runs, isRequest }: Context): Sign[] {
  const key = snake(name)
  const signs: Sign[] = []
  if (takesStatements(key, schema) && runs(key))
    signs.push({ ...sign('write', `"${name}" is a statement`, 1), forbids_read: 'unless_promised' })
  if (ACTION_PARAMS.has(key)) signs.push(...actionSigns(name, isJsonObject(schema) ? schema : {}, isRequest))
  if (RECIPIENT_PARAMS.has(key)) signs.push(sign('external', `takes "${name}"`, 1))
  if (CODE_NOUNS.has(key) && runs(key))
    signs.push({ ...sign('write', `runs "${name}"`, 1), forbids_read: 'unless_promised' })
  if (COMMITTING.has(key)) signs.push({ ...sign('write', `takes "${name}"`, 1), forbids_read: 'unless_promised' })
  if (switchesOn(name, schema))
    signs.push({ ...sign('write', `"${name}" is a choice`, 1), forbids_read: 'unless_promised' })
  if (SHELL_NOUNS.has(key)) signs.push(sign('privileged', `runs "${name}"`, 1))
  return signs
}

const SWITCHED: ReadonlySet<string> = new Set(['create', 'delete', 'destroy', 'erase', 'purge', 'wipe'])

const METHODS: ReadonlySet<string> = new Set(['http_method', 'method', 'request_method', 'verb'])
const STATEMENT_PARAMS: ReadonlySet<string> = new Set(['document', 'expression', 'input', 'q', 'query', 'text'])
const LANGUAGES = /\b(?:sql|graphql|gql|cypher|gremlin|mutation|statement)s?\b/i

/** A query in a language that can change things. */
function takesStatements(key: string, schema: Json): boolean {
  if (key === 'mutation') return true
  if (!STATEMENT_PARAMS.has(key) || !isJsonObject(schema)) return false
  const { description } = schema
  return typeof description === 'string' && LANGUAGES.test(description.slice(0, 1_000))
}

/** A flag that makes the tool act as well: `delete_after_reading`, `notify_owner`. */
function switchesOn(name: string, schema: Json): boolean {
  if (!isJsonObject(schema) || schema['type'] !== 'boolean') return false
  const [verb = ''] = splitWords(name)
  return SWITCHED.has(verb) || (EGRESS_VERBS.has(verb) && !NOUNISH.has(verb))
}

/** A parameter that chooses the action: the tool is as risky as its riskiest value. */
function actionSigns(name: string, schema: JsonObject, isRequest: boolean): Sign[] {
  const values = enumOf(schema)
  if (values.length === 0) return describedActions(name, schema, isRequest)
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
  return allRead ? [{ ...sign('read', `every "${name}" reads`, 2), promises_read: true }] : []
}

function describedActions(name: string, schema: JsonObject, isRequest: boolean): Sign[] {
  const text = typeof schema['description'] === 'string' ? schema['description'].slice(0, 1_000) : ''
  const verb = splitWords(text)
    .map((word) => verbIn(word))
    .find(
      (found) =>
        found?.form === 'base' && !NOUNISH.has(found.verb) && (found.is === 'write' || found.is === 'destructive'),
    )
  if (verb !== undefined)
    return [{ ...sign('write', `"${name}" can be "${verb.verb}"`, 3), forbids_read: 'unless_promised' }]
  // A request with a free choice of method can be any request.
  if (!METHODS.has(snake(name)) || (!isRequest && !snake(name).includes('_'))) return []
  return [{ ...sign('write', `"${name}" can be anything`, 1), forbids_read: 'unless_promised' }]
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
