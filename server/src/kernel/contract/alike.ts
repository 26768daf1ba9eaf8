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
  if ((packet.sources ?? []).some(({ kind }) => kind === 'outside')) return 'a value from an untrusted source'
  if (packet.hidden.length > 0) return 'hidden text'
  if (packet.definition !== undefined && packet.definition.status !== 'admitted') return 'the tool changed'
  if (packet.edited_from !== undefined) return 'was edited'
  const replaces = (packet.changes ?? []).some(({ of, removed = 0 }) => of === 'file' && removed > 0)
  return replaces ? 'replaces a file' : undefined
}

/** In the order in which they were made, however the list is sorted. */
export const byArrival = <Of extends { readonly created_at: number; readonly approval_id: string }>(
  packets: readonly Of[],
): readonly Of[] => packets.toSorted((a, b) => a.created_at - b.created_at || (a.approval_id < b.approval_id ? -1 : 1))

const ONE_THING = /^Send (an? (?<noun>[\w -]+)|something)$/

/**
 * Several requests in one sentence: `Send 3 e-mails to a@example.com and b@example.com`. What only some of them have is named after the
 * rest. Undefined for a single one.
 * INVARIANT: it contains every value of every sentence, with the same marks.
 */
export function groupSentence(sentences: readonly Sentence[]): Sentence | undefined {
  const [first] = sentences
  if (first === undefined || sentences.length < 2) return undefined
  const start = counted(first, sentences)
  const all = sentences.map(({ pieces }) => slotsOf(pieces))
  const heads = new Set(all.map(([head]) => head?.before))
  const isOneKind = heads.size === 1 && sentences.every(({ action }) => action === first.action)
  // Sentences that begin differently say different things, so each is said.
  if (!isOneKind)
    return {
      ...first,
      pieces: [start.text, ...sentences.flatMap(({ pieces }, at) => (at === 0 ? pieces : [AND, ...pieces]))],
    }
  const keys = [...new Set(all.flatMap((slots) => slots.map(({ key }) => key)))]
  const merged = keys.map((key) => {
    const those = all.flatMap((slots) => slots.filter((slot) => slot.key === key).slice(0, 1))
    const before = those.every((slot) => slot.before === those[0]?.before) ? (those[0]?.before ?? '') : key
    return {
      before,
      values: distinct(those.flatMap(({ values }) => values)),
      isEverywhere: those.length === all.length,
    }
  })
  const common = merged.filter(({ isEverywhere }) => isEverywhere)
  const some = merged.filter(({ isEverywhere }) => !isEverywhere)
  return {
    ...first,
    pieces: [
      ...(start.isWhole ? [] : [start.text]),
      ...common.flatMap((slot, at) =>
        slotPieces(at === 0 && start.isWhole ? { ...slot, before: start.words(slot.before) } : slot),
      ),
      ...some.flatMap((slot, at) =>
        slotPieces({ ...slot, before: at === 0 ? `; some of them${slot.before.replace(/^,/, '')}` : slot.before }),
      ),
    ],
  }
}

const AND: SentencePiece = { is: 'text', text: '; ' }

const slotPieces = ({ before, values }: Pick<Slot, 'before' | 'values'>): readonly SentencePiece[] => [
  { is: 'text', text: before },
  ...values.flatMap((value, index): SentencePiece[] =>
    index === 0 ? [value] : [{ is: 'text', text: index === values.length - 1 ? ' and ' : ', ' }, value],
  ),
]

/** `key`: the same for texts that differ only in a number, and for the second list after the same words. */
type Slot = { readonly key: string; readonly before: string; readonly values: readonly SentencePiece[] }

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
  const seen = new Map<string, number>()
  return slots.map((slot) => {
    const plain = slot.before.replace(/\b\d+ (\w+?)s?(?=\W|$)/g, '$1s')
    const nth = (seen.get(plain) ?? 0) + 1
    seen.set(plain, nth)
    return { ...slot, key: nth === 1 ? plain : `${plain}${' '.repeat(nth - 1)}` }
  })
}

/** `Send 3 e-mails`; of other actions `3 calls: Pay `. */
function counted({ action }: Sentence, { length }: readonly Sentence[]) {
  const text: SentencePiece = { is: 'text', text: `${length} calls: ` }
  const words = (before: string) =>
    before.replace(/^Send (?:an? [\w-]+(?: message)?|something)/, (thing) => {
      const noun = ONE_THING.exec(thing)?.groups?.['noun']
      if (noun === undefined) return `Send ${length} messages`
      return `Send ${length} ${noun.endsWith('y') ? `${noun.slice(0, -1)}ie` : noun}s`
    })
  return { text, words, isWhole: action === 'send' }
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
