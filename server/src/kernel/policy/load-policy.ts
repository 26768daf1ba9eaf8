import type { PolicyFault } from '../contract/policy.ts'
import { refuse, ok, type Result } from '../contract/problems.ts'
import { compilePolicy, type CompiledPolicy } from './compile-policy.ts'
import { locateYaml } from './located-yaml.ts'
import { spellFault } from './policy-faults.ts'
import type { Policy } from './policy.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Digest } from '../ports/runtime.ts'

export type PolicyText = {
  readonly text: string
  readonly file: string
  /** The keys that lead to the policy, if it is embedded in another document. */
  readonly at?: readonly string[]
}

/** Compiles a policy; conditions of rules that name one tool are checked against its schema, if the catalogue has it. */
export function compileText(digest: Digest, { text, file, at }: PolicyText, catalogue?: Catalogue): CompiledPolicy {
  return compilePolicy({ text, file }, { digest, ...(at === undefined ? {} : { at }), schemas: schemasIn(catalogue) })
}

export const schemasIn = (catalogue: Catalogue | undefined) => (tool_id: string) =>
  catalogue?.tool(tool_id)?.row.admitted?.definition.inputSchema

/** The policy a gate starts with. A mistake names file, line and what to write instead; all of them are reported. */
export function loadPolicy(digest: Digest, text: PolicyText): Result<Policy> {
  const compiled = compileText(digest, text)
  return compiled.ok
    ? ok(compiled.value)
    : refuse('config.invalid', { paths: compiled.faults.map(spellFault).join('\n') })
}

/** A policy that somebody proposes or tries out: it is never activated. */
export function loadDraft(digest: Digest, text: PolicyText, catalogue?: Catalogue): Result<Policy> {
  const compiled = compileText(digest, text, catalogue)
  return compiled.ok ? ok(compiled.value) : invalidPolicy(compiled.faults)
}

/** The policy to try out, if somebody names a whole configuration file that contains it. */
export function policyWithin(draft: PolicyText): PolicyText {
  const located = locateYaml(draft.text)
  const isConfiguration = located.ok && isObject(located.yaml.value) && isObject(located.yaml.value['policy'])
  return isConfiguration ? { ...draft, at: ['policy'] } : draft
}
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const invalidPolicy = (faults: readonly PolicyFault[]): Result<never> =>
  refuse('policy.invalid', { faults: faults.map(spellFault).join('\n') })
