import type { ToolResult } from '../../kernel/contract/call.ts'
import {
  argumentLeaves,
  NAME_OF_FIELD,
  type Leaf,
  piecesOf,
  recordsOf,
  recordsOfText,
  type RecordOf,
} from './leaves.ts'
import { readProse } from './prose.ts'
import { createUserWords, type UserWords } from './user-words.ts'
import { createScratch, readWords, type Words } from './text.ts'
import { createLeafTable, type LeafTable } from './leaf-table.ts'
import { createWordIndex, valueKey, type WordIndex } from './word-index.ts'
import { isSystemError } from './system-errors.ts'
import { conceptOf } from './lexicon/vocabulary.ts'
import type { Json } from '../../kernel/contract/json.ts'

/** What a person can be shown about where something came from. */
export type TextOrigin = {
  readonly kind: string
  readonly call?: string
  readonly server?: string
  readonly name?: string
  readonly at: number
  /** Only the operator's people can write it: its sentences are not foreign prose. */
  readonly house?: boolean
  /** The operator declared it a directory: its fields vouch for destinations. */
  readonly directory?: boolean
}

/** A text that asks for something. */
export type UserAsk = {
  readonly origin: number
  /** The position of its words in the index. */
  readonly from: number
  readonly to: number
  readonly groups: number
  /** Sorted. */
  readonly nouns: Uint32Array
  /** Which leaf of the output it is. */
  readonly leaf: number
}

/** The arguments of a call. */
export type CallArguments = { readonly tool: string; readonly args: Json }

export const PROSE = 1
export const ASKS = 2
export const FIELD_NAME = 4

/** Everything the decider uses of a session. Texts are only added, in the order in which they were read. */
export type Session = {
  readonly user: UserWords
  readonly index: WordIndex
  readonly origins: readonly TextOrigin[]
  /** The servers among the origins. */
  readonly servers: ReadonlySet<string>
  readonly asks: readonly UserAsk[]
  /** The text that asks at this leaf, if it is one. */
  askOf(leaf: number): UserAsk | undefined
  /** Foreign prose was read. */
  readonly prose: boolean
  /** More was read than is kept in memory, so the rest is unknown. */
  readonly overflow: boolean
  readonly leaves: LeafTable
  addWords(text: string, trust: 'user' | 'claimed'): void
  /** Whether this text is already the latest, trusted or not. */
  isLatest(text: string): boolean
  /** Adds the answer of a call, together with its arguments. The event loop may run between two steps. */
  ingest(origin: TextOrigin, result: ToolResult, call?: CallArguments): Generator<void>
  /** Adds a text that is not the answer of a call. */
  ingestText(origin: TextOrigin, text: string): Generator<void>
  /** Records that the session contains a text that can no longer be read. */
  lose(): void
  /** A person approved this call: from now on its values are trusted, and so are equal actions. */
  approve(call: CallArguments): void
  approvedTool(tool: string): boolean
  approved(value: Words): boolean
  /** Whether the same call has been made before, or the tool was called since the user said this. */
  wasDone(call: CallArguments, utterance: number | undefined): boolean
  /** Whether the output only repeats the arguments of its own call. */
  isEcho(origin: number, value: Words): boolean
}

/** About a megabyte of text. More is not remembered, and then nothing counts as known. */
export const MOST_WORDS = 400_000
/** How many answers and texts are remembered. */
const MOST_ORIGINS = 100_000
/** How many texts that ask are remembered with what they ask for. With more than this, every action counts as asked for. */
const MOST_ASKS = 2_000

export function createSession(): Session {
  const index = createWordIndex()
  const scratch = createScratch()
  const origins: TextOrigin[] = []
  const servers = new Set<string>()
  const asks: UserAsk[] = []
  const askOfLeaf = new Map<number, UserAsk>()
  const leaves = createLeafTable(() => index.length())
  const user = createUserWords()
  const approvedValues = new Set<number>()
  const approvedTools = new Set<string>()
  const acts = new Set<number>()
  const done = new Map<string, number>()
  const echoesOf: Echoes[] = []
  let latest: string | undefined
  /** Work done since the last pause. */
  let work = 0
  let prose = false
  let overflow = false

  const isFull = (): boolean => index.length() >= MOST_WORDS || origins.length >= MOST_ORIGINS

  function isKnown(words: Words): boolean {
    let found = false
    index.find(words, () => (found = true))
    return found
  }

  function addLeaf(origin: number, record: number, leaf: Leaf, echoes: Echoes): void {
    const words = readWords(leaf.text, MOST_WORDS - index.length(), scratch)
    if (words.cut) overflow = true
    if (words.length === 0) return
    const key = valueKey(words)
    const isName = leaf.key === NAME_OF_FIELD
    const isOwn = isAmong(echoes, key) || user.holds(words) || isSystemError(leaf.text)
    const reading = isOwn || origins[origin]?.house === true ? undefined : readProse(words, leaf.text)
    const flags =
      (reading?.prose === true ? PROSE : 0) | (reading?.asks === true ? ASKS : 0) | (isName ? FIELD_NAME : 0)
    const from = index.add(words)
    const number = leaves.add(from, record, origin, flags, key)
    if (reading?.prose === true) prose = true
    if (reading?.asks !== true) return
    if (asks.length >= MOST_ASKS) overflow = true
    else {
      const ask = {
        origin,
        from,
        to: from + words.length,
        groups: reading.groups,
        nouns: stemsOf(words),
        leaf: number,
      }
      asks.push(ask)
      askOfLeaf.set(number, ask)
    }
  }

  function* addRecord(origin: number, record: RecordOf, echoes: Echoes): Generator<void> {
    const id = leaves.newRecord()
    for (const leaf of record.leaves) {
      if (isStepDone(leaf.text)) yield
      if (isFull()) {
        overflow = true
        return
      }
      addLeaf(origin, id, leaf, echoes)
    }
  }

  /** Counts the work of reading a text; whether it is time for a pause. */
  function isStepDone(text: string): boolean {
    work += LEAF_WORK + text.length
    if (work < STEP_WORK) return false
    work = 0
    return true
  }

  function addOrigin(origin: TextOrigin, echoes: Echoes): void {
    if (origin.server !== undefined) servers.add(origin.server)
    if (origins.length >= MOST_ORIGINS) overflow = true
    // Nothing of it will be remembered.
    if (isFull()) return
    origins.push(origin)
    echoesOf.push(echoes)
  }

  function* addRecords(records: Iterable<RecordOf>, echoes: Echoes): Generator<void> {
    const origin = origins.length - 1
    for (const record of records) {
      if (record.leaves.length === 0) yield
      else for (const piece of piecesOf(record)) yield* addRecord(origin, piece, echoes)
      // Nothing more is remembered, so the rest need not be read.
      if (isFull()) {
        overflow = true
        return
      }
    }
  }

  return {
    user,
    index,
    origins,
    servers,
    asks,
    askOf: (leaf) => askOfLeaf.get(leaf),
    leaves,
    get prose() {
      return prose
    },
    get overflow() {
      return overflow
    },
    isLatest: (text) => text === latest,
    addWords(text, trust) {
      latest = text
      // After a text that asks was read, an agent may report that text as its user's words.
      if (trust === 'user' || (asks.length === 0 && !overflow)) user.add(text)
    },
    *ingest(origin, result, call) {
      if (call !== undefined) {
        done.set(call.tool, user.utterances.length)
        acts.add(actKey(call))
      }
      const given: number[] = []
      // Before anything foreign was read, a value that is in no output can only be the user's or the agent's own.
      const isFirst = !prose && !overflow
      for (const { text } of call === undefined ? [] : argumentLeaves(call.args)) {
        const words = readWords(text, undefined, scratch)
        const key = valueKey(words)
        given.push(key)
        if (isFirst && !isKnown(words)) approvedValues.add(key)
        if (isStepDone(text)) yield
      }
      const echoes = given.length > FEW_ECHOES ? new Set(given) : given
      addOrigin(origin, echoes)
      yield* addRecords(recordsOf(result), echoes)
    },
    *ingestText(origin, text) {
      addOrigin(origin, NO_ECHOES)
      yield* addRecords(recordsOfText(text, ''), NO_ECHOES)
    },
    lose() {
      overflow = true
    },
    approve({ tool, args }) {
      approvedTools.add(tool)
      for (const { text } of argumentLeaves(args)) approvedValues.add(valueKey(readWords(text)))
    },
    approvedTool: (tool) => approvedTools.has(tool),
    wasDone: (call, utterance) =>
      acts.has(actKey(call)) || (utterance !== undefined && (done.get(call.tool) ?? 0) > utterance),
    isEcho: (origin, value) => isAmong(echoesOf[origin] ?? NO_ECHOES, valueKey(value)),
    approved: (value) => approvedValues.has(valueKey(value)),
  }
}

/** The values that a call was given, as `valueKey` numbers them: a list while they are few, because most calls have few. */
type Echoes = readonly number[] | ReadonlySet<number>
const FEW_ECHOES = 16
const NO_ECHOES: Echoes = []
const isAmong = (echoes: Echoes, key: number): boolean =>
  echoes instanceof Set ? echoes.has(key) : (echoes as readonly number[]).includes(key)

/** How many characters are read per step: one or two milliseconds. A leaf counts as this many characters at least. */
const STEP_WORK = 32_768
const LEAF_WORK = 16
const actKey = ({ tool, args }: CallArguments): number => {
  let key = 0x811c9dc5
  const text = `${tool}\n${JSON.stringify(args)}`
  for (let at = 0; at < text.length; at += 1) key = Math.imul(key ^ text.charCodeAt(at), 0x01000193)
  return key >>> 0
}

const MOST_NOUNS = 200

function stemsOf({ stem, length }: Words): Uint32Array {
  const found = new Set<number>()
  for (let i = 0; i < length && found.size < MOST_NOUNS; i += 1) found.add(conceptOf(stem[i] ?? 0))
  return Uint32Array.from(found).sort()
}
