import type { PacketRisk, PacketFacts } from './packet-parts.ts'
import { onlyReads, type Tool, type ToolEffect } from '../contract/tool.ts'
import type { Opinion } from '../contract/verdict.ts'
import { type StandardSentences, NO_ROLLBACK } from '../attempt/standard/rollback.ts'

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
  unknown: 'its effects are unknown, so it is treated as writing and external',
}

const SECRETS: ReadonlySet<string> = new Set(['sandbox.sensitive', 'shell.secrets', 'content.secret'])

/** Whether a call was held or blocked because it reads or contains a secret. */
const touchesSecret = (evidence: readonly Opinion[]): boolean =>
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

/** What will happen to an approved call, and what is not known about it. */
export function factsInWords(
  tool: Pick<Tool, 'rollback' | 'check' | 'verify' | 'dry_run' | 'effects'> | undefined,
  standard: StandardSentences,
  evidence: readonly Opinion[],
): PacketFacts {
  return {
    undo: undo(tool?.rollback !== undefined, onlyReads(tool), touchesSecret(evidence), standard),
    read_back:
      tool?.verify === undefined
        ? { is: 'no', says: "The result is not verified: Sluice relies on the tool's answer." }
        : { is: 'yes', says: `The result is verified: ${standard.verify}.` },
    check:
      tool?.check === undefined
        ? { is: 'no', says: 'Nothing is checked before it runs.' }
        : { is: 'yes', says: `It is checked first: ${standard.check}.` },
    dry_run:
      tool?.dry_run === undefined ? { is: 'no', says: 'It has no dry run.' } : { is: 'yes', says: 'It has a dry run.' },
  }
}

/** Whoever has read a secret knows it, whatever is done afterwards. */
function undo(
  isDeclared: boolean,
  isRead: boolean,
  isSecret: boolean,
  { rollback }: StandardSentences,
): PacketFacts['undo'] {
  if (isRead && isSecret)
    return { is: 'no', says: 'It cannot be undone: once the secret is read, the agent and its model know it.' }
  if (isDeclared && rollback.startsWith(NO_ROLLBACK))
    return { is: 'no', says: `It cannot be undone: ${rollback.slice(`${NO_ROLLBACK}: `.length)}.` }
  if (isDeclared) return { is: 'yes', says: `It can be undone: ${rollback}.` }
  return isRead
    ? { is: 'yes', says: 'It only reads: there is nothing to undo.' }
    : { is: 'no', says: 'There is no known way to undo it.' }
}
