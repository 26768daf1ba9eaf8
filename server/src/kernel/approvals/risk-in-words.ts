import type { PacketRisk } from './packet-parts.ts'
import type { Tool, ToolEffect } from '../contract/tool.ts'
import type { Opinion } from '../contract/verdict.ts'

const ONLY_READS = 'only reads'

const EFFECTS: readonly (readonly [ToolEffect, string])[] = [
  ['privileged', 'uses special privileges'],
  ['destructive', 'can delete or overwrite something'],
  ['external', 'reaches people or the network'],
  ['write', 'changes something'],
  ['read', ONLY_READS],
]

const FROM: Readonly<Record<Tool['effects_from'], string>> = {
  configured: 'your configuration says so',
  pack: 'known from the pack for this server',
  annotated: 'its server says so',
  inferred: 'inferred from its name, description and inputs',
  unknown: 'its effects are not declared, so it is treated as writing and external',
}

const SECRETS: ReadonlySet<string> = new Set(['sandbox.sensitive', 'shell.secrets', 'content.secret'])

/** Whether a call was held or blocked because it reads or contains a secret. */
export const touchesSecret = (evidence: readonly Opinion[]): boolean =>
  evidence.some(({ effect, rule }) => effect !== 'allow' && SECRETS.has(rule))

/** The risk class of a call with its reasons. The highest for an unknown tool, and for a call that touches a secret. */
export function riskInWords(
  tool: Pick<Tool, 'risk' | 'effects' | 'effects_from' | 'tags'> | undefined,
  evidence: readonly Opinion[],
): PacketRisk {
  if (tool === undefined)
    return {
      class: 'critical',
      effects: [],
      effects_from: 'unknown',
      why: ['the tool is no longer in the catalogue'],
    }
  const { risk, effects, effects_from, tags = [] } = tool
  const isSecret = touchesSecret(evidence)
  const acts = effects.some((effect) => effect !== 'read')
  const said = EFFECTS.filter(([effect]) => effects.includes(effect) && !(effect === 'read' && acts)).map(
    ([, why]) => why,
  )
  const isProduction = tags.some((tag) => tag.toLowerCase() === 'production')
  const why = [
    ...(isSecret ? [acts ? 'touches a secret' : 'reads a secret'] : []),
    ...(isProduction ? ['tagged production'] : []),
    ...said.filter((words) => !isSecret || words !== ONLY_READS),
    FROM[effects_from],
  ]
  return { class: isSecret ? 'critical' : risk, effects, effects_from, why }
}
