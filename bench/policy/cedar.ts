import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { DescribedCall } from '../../server/src/kernel/policy/described-call.ts'
import type { BenchRule } from './rules.ts'

/** The part of Cedar's own interface that is used here. */
type Cedar = {
  preparsePolicySet(id: string, policies: { staticPolicies: string }): { type: string }
  statefulIsAuthorized(call: {
    principal: Uid
    action: Uid
    resource: Uid
    context: object
    preparsedPolicySetId: string
    entities: { uid: Uid; attrs: object; parents: Uid[] }[]
  }): { type: 'success'; response: { decision: 'allow' | 'deny' } } | { type: 'failure'; errors: { message: string }[] }
}
type Uid = { type: string; id: string }

/** Cedar at its best: the policy set is parsed once and kept; a decision passes only the request and its entities. */
export function cedarDecider(rules: readonly BenchRule[]): (call: DescribedCall) => 'allow' | 'block' {
  const require = createRequire(join(import.meta.dirname, '../peers/package.json'))
  const cedar = require('@cedar-policy/cedar-wasm/nodejs') as Cedar
  const id = `bench-${rules.length}-${rules[0]?.tool ?? ''}`
  const parsed = cedar.preparsePolicySet(id, { staticPolicies: rules.map(policyText).join('\n') })
  if (parsed.type !== 'success') throw new Error(`cedar refuses the policies: ${JSON.stringify(parsed)}`)
  return (call) => {
    const principal = { type: 'Caller', id: call.caller }
    const answer = cedar.statefulIsAuthorized({
      principal,
      action: { type: 'Action', id: call.tool },
      resource: { type: 'Server', id: 'any' },
      context: call.args as object,
      preparsedPolicySetId: id,
      entities: [{ uid: principal, attrs: { role: call.role }, parents: [] }],
    })
    if (answer.type === 'failure') throw new Error(answer.errors.map(({ message }) => message).join('; '))
    return answer.response.decision === 'allow' ? 'allow' : 'block'
  }
}

function policyText({ effect, tool, above, role }: BenchRule): string {
  const head = effect === 'allow' ? 'permit' : 'forbid'
  return `${head}(principal, action == Action::"${tool}", resource)
    when { context.amount > ${above} && principal.role == "${role}" };`
}
