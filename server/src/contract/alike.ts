import type { Sentence, SentencePiece } from './sentence.ts'

/** The parts of a packet that decide whether two requests are alike. */
export type AlikePacket = {
  readonly approval_id: string
  readonly skill_id: string
  readonly state: string
  readonly strength: string
  readonly thread: string
  readonly asked_by: { readonly id: string; readonly user: string }
  readonly decisions: readonly unknown[]
  readonly risk_notes: readonly { readonly decider: string; readonly rule: string; readonly effect: string }[]
  readonly sentence?: Sentence | undefined
  readonly sources?: readonly { readonly kind: string }[] | undefined
  readonly hidden: readonly unknown[]
  readonly foldable?: readonly unknown[] | undefined
  readonly definition?: { readonly status: string } | undefined
  readonly edited_from?: string | undefined
  readonly changes?: readonly { readonly of: string; readonly removed?: number }[] | undefined
}

/**
 * Requests with the same key can be decided together: same tool, agent, session, reasons and strength. Undefined for requests that
 * are always decided alone: two-person requests, requests with a text that has to be unfolded first, and strong requests other than messages. (Messages can be combined, because one
 * sentence can name all recipients.)
 */
export function alikeKey(packet: AlikePacket): string | undefined {
  const { strength, state, decisions, sentence, risk_notes, skill_id, asked_by, thread } = packet
  if (state !== 'pending' || decisions.length > 0 || (packet.foldable ?? []).length > 0) return undefined
  if (strength !== 'simple' && !(strength === 'strong' && sentence?.action === 'send')) return undefined
  const reasons = risk_notes
    .filter(({ effect }) => effect !== 'allow')
    .map(({ decider, rule, effect }) => `${decider}/${rule}/${effect}`)
    .toSorted()
  return JSON.stringify([skill_id, asked_by.id, asked_by.user, thread, strength, [...new Set(reasons)]])
}

/** Why a request of a group is not preselected. */
export function oddOf(packet: AlikePacket): string | undefined {
  if ((packet.sources ?? []).some(({ kind }) => kind === 'outside')) return 'a value from outside'
  if (packet.hidden.length > 0) return 'something is hidden'
  if (packet.definition !== undefined && packet.definition.status !== 'admitted') return 'the tool changed'
  if (packet.edited_from !== undefined) return 'was edited'
  const replaces = (packet.changes ?? []).some(({ of, removed = 0 }) => of === 'file' && removed > 0)
  return replaces ? 'replaces a file' : undefined
}

const ONE_THING = /^Send (an? (?<noun>[\w -]+)|something)$/

/**
 * Several messages in one sentence: `Send 3 e-mails to a@example.com and b@example.com`. Undefined for other calls, and if the
 * sentences differ in more than their values: then each one is shown separately.
 * INVARIANT: it contains every value of every sentence, with the same marks.
 */
export function groupSentence(sentences: readonly Sentence[]): Sentence | undefined {
  const [first] = sentences
  if (first === undefined || sentences.length < 2 || sentences.some(({ action }) => action !== 'send')) return undefined
  const shapes = sentences.map(({ pieces }) => slotsOf(pieces))
  const shape = JSON.stringify(shapes[0]?.map(({ before }) => before))
  if (shapes.some((slots) => JSON.stringify(slots.map(({ before }) => before)) !== shape)) return undefined
  const slots = (shapes[0] ?? []).map(({ before }, at) => ({
    before,
    values: distinct(shapes.flatMap((one) => one[at]?.values ?? [])),
  }))
  const pieces = slots.flatMap(({ before, values }, at): SentencePiece[] => [
    { is: 'text', text: at === 0 ? counted(before, sentences.length) : before },
    ...values.flatMap((value, index): SentencePiece[] =>
      index === 0 ? [value] : [{ is: 'text', text: index === values.length - 1 ? ' and ' : ', ' }, value],
    ),
  ])
  return { ...first, pieces }
}

type Slot = { readonly before: string; readonly values: readonly SentencePiece[] }

/** Texts, each with the values that follow it. Separators between two values of one list are ignored. */
function slotsOf(pieces: readonly SentencePiece[]): readonly Slot[] {
  const slots: { before: string; values: SentencePiece[] }[] = []
  for (const piece of pieces) {
    const last = slots.at(-1)
    if (piece.is !== 'text') {
      if (last === undefined) slots.push({ before: '', values: [piece] })
      else last.values.push(piece)
    } else if (last !== undefined && last.values.length === 0) last.before += piece.text
    else if (piece.text !== ', ' && piece.text !== ' and ') slots.push({ before: piece.text, values: [] })
  }
  return slots
}

function counted(words: string, many: number): string {
  return words.replace(/^Send (?:an? [\w-]+(?: message)?|something)/, (thing) => {
    const noun = ONE_THING.exec(thing)?.groups?.['noun']
    if (noun === undefined) return `Send ${many} messages`
    return `Send ${many} ${noun.endsWith('y') ? `${noun.slice(0, -1)}ie` : noun}s`
  })
}

function distinct(values: readonly SentencePiece[]): readonly SentencePiece[] {
  const known = new Map<string, SentencePiece>()
  for (const value of values) {
    const before = known.get(value.text)
    // If one of them came from outside, the value is marked.
    if (before === undefined || value.is === 'outside') known.set(value.text, value)
  }
  return [...known.values()]
}
