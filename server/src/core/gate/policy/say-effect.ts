import type { Tool } from '../../../contract/tool.ts'
import type { Opinion } from '../../../contract/verdict.ts'
import { splitWords } from '../risk/split-words.ts'

const OBJECTS: readonly (readonly [string, ReadonlySet<string>])[] = [
  ['a file', new Set(['file', 'files', 'document', 'documents'])],
  ['a folder', new Set(['folder', 'folders', 'directory', 'directories', 'dir'])],
  ['a message', new Set(['message', 'messages', 'mail', 'mails', 'email', 'emails', 'sms'])],
]

/** What a call to this tool does, judging by its effects and its name: `writes a file`, `sends a message`. */
export function sayEffect({ row, effects, effects_from }: Tool, tags: readonly string[] = []): string {
  if (effects_from === 'unknown') return 'has undeclared effects'
  const words = splitWords(row.tool_id.slice(row.tool_id.indexOf('__') + 2))
  const object = OBJECTS.find(([, names]) => words.some((word) => names.has(word)))?.[0]
  const has = (effect: Tool['effects'][number]) => effects.includes(effect)
  const parts = [
    ...(has('external') ? [object === 'a message' ? 'sends a message' : 'reaches other people or the network'] : []),
    ...(has('destructive') ? [destroys(object, has('write'))] : []),
    ...(has('write') && !has('destructive') ? [object === undefined ? 'changes something' : `writes ${object}`] : []),
    ...(has('privileged') ? ['uses special privileges'] : []),
    ...(tags.includes('production') ? ['touches production'] : []),
  ]
  return parts.length === 0 ? 'reads' : parts.join(' and ')
}

function destroys(object: string | undefined, isWrite: boolean): string {
  if (object === undefined) return 'may delete or overwrite something'
  return isWrite ? `writes ${object} and may overwrite or delete what is there` : `may delete ${object}`
}

const ENDINGS: Readonly<Record<string, string>> = {
  medium: 'so a person decides',
  high: 'so a person must confirm it explicitly',
  critical: 'so two people decide',
}

/** Rewrites a preset's opinion to say what this call does, instead of everything its risk class covers. */
export function sayEffectOf(opinion: Opinion, tool: Tool, tags?: readonly string[]): Opinion {
  const [, level = ''] = opinion.rule.split('.')
  const ending = ENDINGS[level]
  return opinion.effect !== 'ask' || ending === undefined
    ? opinion
    : { ...opinion, says: `it ${sayEffect(tool, tags)}, ${ending}` }
}
