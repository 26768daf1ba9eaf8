import { CallSecrets, SECRETS_KEY } from '../contract/call-secrets.ts'
import { isJsonObject, type Json } from '../contract/json.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'

export type SplitSecrets = { readonly args: Json; readonly secrets?: CallSecrets }

/** Splits a call's arguments into the arguments without secrets and the places of the secrets. */
export function splitSecrets(whole: Json): Result<SplitSecrets> {
  if (!isJsonObject(whole) || !Object.hasOwn(whole, SECRETS_KEY)) return ok({ args: whole })
  const { [SECRETS_KEY]: given, ...args } = whole
  const read = CallSecrets.safeParse(given)
  if (!read.success) return refuse('call.args_invalid', { paths: `${SECRETS_KEY}: must name a secret for each place` })
  for (const pointer of Object.keys(read.data))
    if (typeof textAt(args, pointer) !== 'string')
      return refuse('call.args_invalid', { paths: `${SECRETS_KEY}: there is no text at ${pointer}` })
  return ok({ args, secrets: read.data })
}

/** The arguments with nothing where a secret will be: the secret's name in that place must not be treated as a path or a text. */
export function withoutSecretPlaces(whole: Json): Json {
  const split = splitSecrets(whole)
  if (!split.ok || split.value.secrets === undefined) return whole
  return withTexts(split.value.args, new Map(Object.keys(split.value.secrets).map((pointer) => [pointer, ''])))
}

const keysOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))

function textAt(value: Json, pointer: string): Json | undefined {
  let at: Json | undefined = value
  for (const key of keysOf(pointer)) {
    if (Array.isArray(at)) at = (at as readonly Json[])[Number(key)]
    else at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }
  return at
}

/** The same arguments with other texts at some places. */
export function withTexts(value: Json, texts: ReadonlyMap<string, string>, pointer = ''): Json {
  const text = texts.get(pointer)
  if (text !== undefined) return text
  if (Array.isArray(value)) return value.map((one: Json, index) => withTexts(one, texts, `${pointer}/${index}`))
  if (!isJsonObject(value)) return value
  const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, withTexts(one, texts, `${pointer}/${escaped(key)}`)]),
  )
}
