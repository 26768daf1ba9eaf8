import type { Call } from '../../contract/call.ts'
import type { Json } from '../../contract/json.ts'
import type { ContentSettings } from '../../contract/judgement.ts'
import { inForce, type ToolEffect } from '../../contract/tool.ts'
import type { Opinion } from '../../contract/verdict.ts'
import type { CompiledRules } from '../dlp/compile-rules.ts'
import { redactJson, type JsonFinding } from '../dlp/redact-json.ts'
import type { Facts } from './facts.ts'
import type { Policy } from './policy/policy.ts'
import { namePlaces, shownPointer } from './shown-pointer.ts'

/** What the operator wants of this tool's arguments, and the rules that find sensitive text. */
export type ContentFact = ContentSettings & { readonly rules: CompiledRules }

/** What a tool that only reads is given stays where it is; everything else carries it somewhere. */
const CARRYING = new Set<ToolEffect>(['write', 'external', 'destructive', 'privileged'])

/** A secret that would be written or sent is blocked, personal data is asked about. Silent where there is neither. */
export function judgeContent(_policy: Policy, call: Call, facts: Facts): Opinion[] {
  const { rules, secrets, pii } = facts.content
  if (!facts.tool.effects.some((effect) => CARRYING.has(effect))) return []
  if (secrets === 'off' && pii === 'off') return []
  const args: Json = JSON.parse(call.canonical_args)
  const { findings } = redactJson(args, rules)
  const of = (kind: JsonFinding['kind']) => findings.filter((finding) => finding.kind === kind)
  return [...opinionOn(of('secret'), secrets, 'secret', facts), ...opinionOn(of('pii'), pii, 'pii', facts)]
}

const WHAT = { secret: 'a secret', pii: 'personal data' } as const

/** INVARIANT: it names types and places, never the text that was found (law in judge-content.test.ts). */
function opinionOn(
  findings: readonly JsonFinding[],
  effect: 'block' | 'ask' | 'off',
  kind: 'secret' | 'pii',
  facts: Facts,
): Opinion[] {
  if (findings.length === 0 || effect === 'off') return []
  const schema = inForce(facts.tool.row).definition.inputSchema
  const places = findings.map(({ path }) => shownPointer(path.split('/').slice(1).map(unescape), schema))
  const types = [...new Set(findings.map(({ type }) => type))].join(', ')
  const says = `${WHAT[kind]} (${types}) stands in ${namePlaces(places)}, which this tool would write or send`
  const opinion = { decider: 'content', effect, rule: `content.${kind}`, says, source: 'content', at: facts.now }
  if (effect === 'block') return [opinion]
  return [{ ...opinion, strength: kind === 'secret' ? 'strong' : 'simple' }]
}

const unescape = (key: string) => key.replaceAll('~1', '/').replaceAll('~0', '~')
