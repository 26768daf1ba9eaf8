import type { PacketFacts } from './packet-parts.ts'
import type { Tool } from '../contract/tool.ts'
import type { Opinion } from '../contract/verdict.ts'
import type { StandardSentences } from '../attempt/describe-standard.ts'
import { NO_ROLLBACK } from '../attempt/rollback-of.ts'
import { touchesSecret } from './risk-in-words.ts'

/** What will happen to an approved call, and what is not known about it. */
export function factsInWords(
  tool: Pick<Tool, 'rollback' | 'check' | 'verify' | 'dry_run' | 'effects'> | undefined,
  standard: StandardSentences,
  evidence: readonly Opinion[],
): PacketFacts {
  const onlyReads = tool !== undefined && tool.effects.length > 0 && tool.effects.every((effect) => effect === 'read')
  return {
    undo: undo(tool?.rollback !== undefined, onlyReads, touchesSecret(evidence), standard),
    read_back:
      tool?.verify === undefined
        ? { is: 'no', says: "The result is not read back: the gate relies on the tool's answer." }
        : { is: 'yes', says: `The result is read back: ${standard.verify}.` },
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
  onlyReads: boolean,
  isSecret: boolean,
  { rollback }: StandardSentences,
): PacketFacts['undo'] {
  if (onlyReads && isSecret)
    return { is: 'no', says: 'It cannot be undone: once the secret is read, the agent and its model know it.' }
  if (isDeclared && rollback.startsWith(NO_ROLLBACK))
    return { is: 'no', says: `It cannot be undone: ${rollback.slice(`${NO_ROLLBACK}: `.length)}.` }
  if (isDeclared) return { is: 'yes', says: `It can be undone: ${rollback}.` }
  return onlyReads
    ? { is: 'yes', says: 'It only reads: there is nothing to undo.' }
    : { is: 'no', says: 'There is no known way to undo it.' }
}
