import type { CallRow, ToolResult } from '../contract/call.ts'
import { SECRETS_KEY } from '../contract/call-secrets.ts'
import { isJsonObject, type Json } from '../contract/json.ts'
import { Bug, problem, type Problem } from '../contract/problems.ts'
import { canonicalJson } from '../json/canonical.ts'
import { splitSecrets, withTexts } from '../json/split-secrets.ts'
import type { ToolReply } from '../ports/upstream.ts'

/** The value of a secret that a document names; undefined if it is missing. */
export type SecretValue = (document: string, name: string) => Promise<string | undefined>

/** What is sent instead of the recorded arguments, and the values that must not be returned. */
export type Unsealed = { readonly canonical_args: string; readonly values: readonly string[] }

/** False for nearly every call. True does not mean that it names one. */
export const namesSecrets = ({ canonical_args }: Pick<CallRow, 'canonical_args'>): boolean =>
  canonical_args.includes(SECRETS_KEY)

/**
 * Replaces the names of secrets by their values. Called last, when a call is sent.
 * INVARIANT: the result is passed only to the tool server: not to a log, a row, a packet or a model.
 */
export async function unsealArgs(
  secretValue: SecretValue | undefined,
  { canonical_args, by_run }: CallRow,
): Promise<Unsealed | Problem> {
  const split = splitSecrets(JSON.parse(canonical_args) as Json)
  if (!split.ok) throw new Bug('recorded arguments were valid')
  const { args, secrets } = split.value
  if (secrets === undefined) return { canonical_args, values: [] }
  const texts = new Map<string, string>()
  for (const [pointer, name] of Object.entries(secrets)) {
    const value = by_run?.document === undefined ? undefined : await secretValue?.(by_run.document, name)
    if (value === undefined || value === '') return problem('call.secret_absent', { secret: name })
    texts.set(pointer, value)
  }
  const canonical = canonicalJson(withTexts(args, texts))
  if (!canonical.ok) return canonical.problem
  return { canonical_args: canonical.value, values: [...texts.values()] }
}

/** Removes secrets of the call that an answer repeats. */
export function withoutValues(answer: ToolReply, values: readonly string[]): ToolReply {
  if (values.length === 0) return answer
  if (answer.is === 'answered')
    return { is: 'answered', result: valuesRemoved(answer.result, values) as unknown as ToolResult }
  return answer.is === 'rejected'
    ? { ...answer, error: valuesRemoved(answer.error, values) as typeof answer.error }
    : answer
}

function valuesRemoved(value: Json, values: readonly string[]): Json {
  if (typeof value === 'string')
    return values.reduce((text, secret) => text.replaceAll(secret, '[REDACTED_SECRET]'), value)
  if (Array.isArray(value)) return value.map((one: Json) => valuesRemoved(one, values))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, valuesRemoved(one, values)]))
}
