import type { Tool } from '../contract/tool.ts'
import type { Opinion } from '../contract/verdict.ts'
import { articled, CREATES, DELETES, hasAny, nounIn, READS } from '../text/tool-vocabulary.ts'
import { splitWords } from '../text/split-words.ts'

/** Nouns for which people use another word. */
const USUAL: Readonly<Record<string, string>> = { directory: 'folder', mail: 'message', email: 'message' }

/** What the tools of a server with such a name act on, if their own names do not say. */
const BY_SERVER: readonly (readonly [string, ReadonlySet<string>])[] = [
  ['message', new Set(['mail', 'email', 'gmail', 'outlook', 'imap', 'smtp', 'sms', 'slack', 'messages'])],
  ['file', new Set(['file', 'files', 'fs', 'filesystem'])],
]

const VERBS: readonly (readonly [string, ReadonlySet<string>])[] = [
  ['moves', new Set(['move'])],
  ['renames', new Set(['rename'])],
  ['copies', new Set(['copy', 'duplicate'])],
  ['adds', new Set(['add', 'insert', 'attach'])],
  ['creates', CREATES],
  ['writes', new Set(['write', 'save', 'append', 'put', 'upload'])],
]

/** What a call to this tool does, judging by its effects and its name: `writes a file`, `sends a message`. */
export function sayEffect({ row, effects, effects_from }: Tool, tags: readonly string[] = []): string {
  if (effects_from === 'unknown') return 'has unknown effects'
  const [server, words] = [splitWords(row.server), splitWords(row.tool_id.slice(row.tool_id.indexOf('__') + 2))]
  const noun = nounIn(words) ?? BY_SERVER.find(([, names]) => hasAny(server, names))?.[0]
  const object = noun === undefined ? undefined : articled(USUAL[noun] ?? noun)
  const has = (effect: Tool['effects'][number]) => effects.includes(effect)
  const sends = has('external') && object === 'a message' && !hasAny(words, DELETES) && !READS.has(words[0] ?? '')
  const verb = VERBS.find(([, names]) => hasAny(words, names))?.[0] ?? 'changes'
  const parts = [
    ...(has('external') ? [sends ? 'sends a message' : 'reaches other people or the network'] : []),
    ...(has('destructive') ? [destroys(words, object, has('write') ? verb : undefined)] : []),
    ...(has('write') && !has('destructive') && !sends ? [`${verb} ${object ?? 'something'}`] : []),
    ...(has('privileged') ? ['uses special privileges'] : []),
    ...(tags.some((tag) => tag.toLowerCase() === 'production') ? ['touches production'] : []),
  ]
  return parts.length === 0 ? 'reads' : parts.join(' and ')
}

function destroys(words: readonly string[], object: string | undefined, verb: string | undefined): string {
  if (hasAny(words, DELETES)) return `deletes ${object ?? 'something'}`
  if (object === undefined) return 'may delete or overwrite something'
  return verb === undefined ? `may delete ${object}` : `${verb} ${object} and may overwrite or delete what is there`
}

const ENDINGS: Readonly<Record<string, string>> = {
  medium: 'so a person decides',
  high: 'so a person must confirm it explicitly',
  critical: 'so two people decide',
}

/** Rewrites what a preset says about a call or a tool: what this one does, instead of everything its risk class covers. */
export function sayEffectOf<Stated extends Pick<Opinion, 'rule' | 'effect' | 'says'>>(
  stated: Stated,
  tool: Tool,
  tags?: readonly string[],
): Stated {
  const [, level = ''] = stated.rule.split('.')
  const ending = ENDINGS[level]
  return stated.effect !== 'ask' || ending === undefined
    ? stated
    : { ...stated, says: `it ${sayEffect(tool, tags)}, ${ending}` }
}
