import { grouped } from '../contract/framed-text.ts'
import type { SentencePiece } from '../contract/sentence.ts'
import { numberedText } from '../contract/visible-text.ts'
import type { MakeSentence } from '../ports/make-sentence.ts'
import { leafSteps, PEOPLE, type ArgumentLeaf, type ArgumentRole } from '../text/argument-roles.ts'
import { marksOf } from './recipient-marks.ts'

/** Roles that are only counted if there are many. Everything else is always shown. */
const OTHERS: ReadonlySet<ArgumentRole> = new Set(['content', 'query', 'place', 'name', 'id', 'other'])
const MOST_OTHERS = 20
const LONGEST = 320

/** A sentence without templates, for a gate without a guest that has them: the tool and its arguments, by the names of their fields. */
export const plainSentence: MakeSentence = function* ({ tool_id, args, sources = [], look_alikes = [] }) {
  const leaves = yield* leafSteps(args, tool_id)
  yield
  const outside = sources.filter(({ kind }) => kind === 'outside').map(({ at }) => at)
  const isFromOutside = ({ at }: ArgumentLeaf) =>
    outside.some((place) => place === at || at.startsWith(`${place}/`) || place.startsWith(`${at}/`))
  const others = leaves.filter((leaf) => OTHERS.has(leaf.role) && !isFromOutside(leaf))
  const cut = new Set(others.slice(MOST_OTHERS))
  const markOf = marksOf(
    leaves.filter(({ role }) => PEOPLE.has(role)),
    look_alikes,
  )
  const pieces: SentencePiece[] = [text('Call '), { is: 'value', text: shown(tool_id) }]
  for (const leaf of leaves) {
    if (cut.has(leaf)) continue
    const mark = PEOPLE.has(leaf.role) ? markOf(leaf) : undefined
    const marked = mark === undefined ? {} : { mark }
    const value = { text: mark === undefined ? shown(leaf.text) : `${shown(leaf.text)} ⟨${mark}⟩`, at: leaf.at }
    pieces.push(text(pieces.length === 2 ? ' with ' : ', '), { is: 'value', text: shown(leaf.field) }, text(': '))
    pieces.push({ is: isFromOutside(leaf) ? 'outside' : 'value', ...value, ...marked })
  }
  if (cut.size > 0) pieces.push(text(` ⟨and ${cut.size} more inputs⟩`))
  const confirm = { what: 'tool', words: [tool_id === '' ? 'approve' : tool_id] } as const
  return { action: 'unknown', pieces, button: 'Approve and run', confirm }
}

const text = (words: string): SentencePiece => ({ is: 'text', text: words })

/** INVARIANT: everything is visible, and what is cut has a mark. */
function shown(value: string): string {
  if (value === '') return '(empty)'
  const letters = value.length > LONGEST ? Array.from(value) : []
  if (letters.length <= LONGEST) return numberedText(value)
  return `${numberedText(letters.slice(0, LONGEST).join(''))}… ⟨${grouped(letters.length)} characters⟩`
}
