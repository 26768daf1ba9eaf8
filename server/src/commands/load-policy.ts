import { refuse, ok, type Result } from '../contract/problems.ts'
import { compilePolicy } from '../core/gate/policy/compile-policy.ts'
import { spellFault } from '../core/gate/policy/policy-faults.ts'
import type { Policy } from '../core/gate/policy/policy.ts'
import type { Catalogue, Digest } from './ports.ts'

export type PolicyText = {
  readonly text: string
  readonly file: string
  /** The keys that lead to the policy, for one that is written inside another document. */
  readonly at?: readonly string[]
}

/** Compiles a policy. A mistake names file, line and what to write instead; all of them are told. */
export function loadPolicy(digest: Digest, { text, file, at }: PolicyText, catalogue?: Catalogue): Result<Policy> {
  const compiled = compilePolicy(
    { text, file },
    {
      digest,
      ...(at === undefined ? {} : { at }),
      schemas: (tool_id) => catalogue?.tool(tool_id)?.row.definition.inputSchema,
    },
  )
  return compiled.ok
    ? ok(compiled.value)
    : refuse('config.invalid', { paths: compiled.faults.map(spellFault).join('\n') })
}
