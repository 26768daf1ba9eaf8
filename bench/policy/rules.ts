import type { DescribedCall } from '../../server/src/kernel/policy/described-call.ts'

/** One rule that both systems can express: a tool, and a condition over an argument and the caller. */
export type BenchRule = {
  readonly effect: 'allow' | 'block'
  readonly tool: string
  readonly above: number
  readonly role: string
}

export const CALLED = 'mail__send'

/** `matching` of the rules are about the called tool, so their conditions are evaluated; the others are about other tools. */
export function rulesFor(count: number, matching: number): BenchRule[] {
  return Array.from({ length: count }, (_, at) => {
    const isMatching = at >= count - matching
    return {
      effect: at === count - 1 ? 'allow' : 'block',
      tool: isMatching ? CALLED : `server${at % 40}__tool${at}`,
      above: at === count - 1 ? 0 : 1_000 + at,
      role: 'agent',
    }
  })
}

/** Different calls, so that nothing is answered from a cache. All are allowed by the last rule only. */
export const CALLS: readonly DescribedCall[] = Array.from({ length: 16 }, (_, at) => ({
  tool: CALLED,
  effects: ['external'],
  risk: 'high',
  caller: `agent:helper-${at}`,
  role: 'agent',
  user: 'ann',
  args: { to: `person${at}@example.com`, subject: 'the figures of this month', amount: at + 1 },
}))

/** The same rules as a policy file. JSON is YAML. */
export function policyFileOf(rules: readonly BenchRule[]): string {
  const spelled = rules.map(({ effect, tool, above, role }, at) => ({
    id: `rule-${at}`,
    effect,
    match: { tool },
    when: `args.amount > ${above} && caller.role == "${role}"`,
    says: 'measured',
  }))
  return JSON.stringify({ rules: spelled })
}
