import { NOUNISH, PLAIN_ACTIONS, VERBS } from '../../kernel/text/lexicon.ts'
import { IRREGULAR, VERB_GROUPS } from '../../kernel/text/lexicon/verbs.ts'
import { splitText } from './split-text.ts'
import { stem } from './stem.ts'

/** Kinds of changes, one bit for each group of verbs. */
export type ChangeBits = number

const READS = 1 << VERB_GROUPS.findIndex(({ group }) => group === 'fetch')

function tableOf(): ReadonlyMap<string, ChangeBits> {
  const table = new Map<string, ChangeBits>()
  for (const [bit, { en }] of VERB_GROUPS.entries())
    for (const verb of en.split(' '))
      for (const form of [verb, ...(IRREGULAR[verb]?.split(' ') ?? [])])
        table.set(stem(form), (table.get(stem(form)) ?? 0) | (1 << bit))
  return table
}

/** Built by the first tool. */
let table: ReadonlyMap<string, ChangeBits> | undefined

function groupsOf(stemmed: string): ChangeBits {
  table ??= tableOf()
  return table.get(stemmed) ?? 0
}

/** The changes that a tool makes, if its name starts with a verb that says so; else 0. */
export function changesOf(name: string): ChangeBits {
  const verb = splitText(name)[0]?.text ?? ''
  const kind = VERBS.get(verb)
  if (kind !== 'write' && kind !== 'destructive') return 0
  // `order_status`, `message-archive`: more often a noun.
  if (NOUNISH.has(verb) && !PLAIN_ACTIONS.has(verb)) return 0
  const groups = groupsOf(stem(verb))
  return (groups & READS) === 0 ? groups : 0
}

/** The changes that a request asks for, by the stems of its words. */
export function changesAsked(stems: Iterable<string>): ChangeBits {
  let asked = 0
  for (const one of stems) asked |= groupsOf(one)
  return asked
}

/**
 * Whether a tool changes something in a way that the request does not mention. A tool that reads is never unasked: what is to be
 * changed often has to be read first.
 */
export const isUnasked = (changes: ChangeBits, asked: ChangeBits): boolean => changes !== 0 && (changes & asked) === 0
