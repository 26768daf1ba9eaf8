import { isJsonObject } from '../../kernel/contract/json.ts'
import type { Sentence, SentenceAction, SentencePiece } from '../../kernel/contract/sentence.ts'
import type { ToolEffect } from '../../kernel/contract/tool.ts'
import type { MakeSentence, SentenceInput } from '../../kernel/ports/make-sentence.ts'
import type { PrepareGuest } from '../../kernel/ports/prepare-guest.ts'
import { ok } from '../../kernel/contract/problems.ts'
import { splitWords } from '../../kernel/text/split-words.ts'
import { leafSteps, pointerOf, type ArgumentLeaf, type ArgumentRole } from '../../kernel/text/argument-roles.ts'
import { counted, name, printerOf, text } from './pieces.ts'
import { commandIn, runCommand } from './command-template.ts'
import { isFolderTool, type SentenceDraft, type Made, before, inFolders, of, values } from './draft.ts'
import { whatToType } from './what-to-type.ts'
import { addressPieces, change, fetchPage, pay, remove, send } from './templates.ts'
import {
  DELETES,
  hasAny,
  isInFiles,
  nounIn,
  PAYS,
  RUNS,
  SENDS,
  WRITES,
  COPIES,
  CREATES,
  DETAILS,
  LISTS,
  MOVES,
  SEARCHES,
} from '../../kernel/text/tool-vocabulary.ts'

function writeFile(draft: SentenceDraft): Made {
  const [paths, folders] = [of(draft, 'path'), of(draft, 'folder')]
  const isMove = hasAny(draft.words, MOVES)
  if ((isMove || hasAny(draft.words, COPIES)) && paths.length + folders.length === 2)
    return moveFile(draft, [...paths, ...folders], isMove)
  const contents = of(draft, 'content')
  const lines = contents.reduce((sum, { text: content }) => sum + content.split('\n').length, 0)
  const size = contents.length === 0 ? '' : `, ${counted(lines, 'line')}`
  const verb = draft.words.includes('upload') ? 'Upload' : 'Write'
  if (isFolderTool(draft.words) && contents.length === 0) return writeFolder(draft, [...paths, ...folders])
  return {
    pieces: [
      text(paths.length === 1 ? `${verb} the file ` : `${verb} ${counted(paths.length, 'file')}: `),
      ...values(draft, paths),
      ...inFolders(draft, folders),
      text(size),
    ].filter((piece) => piece.text !== ''),
    used: [...paths, ...folders],
    button: `Approve and ${verb.toLowerCase()}`,
  }
}

function writeFolder(draft: SentenceDraft, folders: readonly ArgumentLeaf[]): Made {
  const verb = hasAny(draft.words, CREATES) ? 'Create' : 'Change'
  return {
    pieces: [text(`${verb} the ${folders.length === 1 ? 'folder' : 'folders'} `), ...values(draft, folders)],
    used: folders,
    button: `Approve and ${verb.toLowerCase()}`,
  }
}

function moveFile(draft: SentenceDraft, paths: readonly ArgumentLeaf[], isMove: boolean): Made {
  const isTarget = ({ field, role }: ArgumentLeaf) => role === 'folder' || hasAny(splitWords(field), TARGETS)
  const [from, to] = [paths.find((leaf) => !isTarget(leaf)), paths.find(isTarget)]
  const [first, second] = from === undefined || to === undefined ? paths : [from, to]
  const verb = isMove ? 'Move' : 'Copy'
  return {
    pieces: [
      text(`${verb} the ${isFolderTool(draft.words) ? 'folder' : 'file'} `),
      ...(first === undefined ? [] : [draft.print.value(first)]),
      ...before(
        second?.role === 'folder' ? ' to the folder ' : ' to ',
        second === undefined ? [] : [draft.print.value(second)],
      ),
    ],
    used: paths,
    button: `Approve and ${verb.toLowerCase()}`,
  }
}

const TARGETS: ReadonlySet<string> = new Set('destination dest dst to target new'.split(' '))
/** A file that is written although the tool itself only reads: `output_path` of a screenshot. */
const OUTPUTS: ReadonlySet<string> = new Set(['output', 'out', 'save', 'target', 'destination', 'dest'])

function read(draft: SentenceDraft): Made {
  const { words, tool_id } = draft
  const [folders, queries] = [of(draft, 'folder'), of(draft, 'query')]
  const paths = of(draft, 'path').filter(({ field }) => !hasAny(splitWords(field), OUTPUTS))
  const button = 'Approve and read'
  if (queries.length > 0 && (hasAny(words, SEARCHES) || paths.length === 0)) {
    const inside = [...paths, ...folders]
    const search = [text('Search with '), name(tool_id), text(' for '), ...values(draft, queries)]
    return { pieces: [...search, ...inFolders(draft, inside)], used: [...queries, ...inside], button }
  }
  if (isFolderTool(words) && paths.length + folders.length > 0) {
    const all = [...paths, ...folders]
    const verb = hasAny(words, LISTS) ? 'List' : 'Read'
    const what = all.length === 1 ? 'folder' : 'folders'
    return { pieces: [text(`${verb} the ${what} `), ...values(draft, all)], used: all, button }
  }
  if (paths.length > 0 && !hasAny(words, LISTS)) {
    const what = paths.length === 1 ? 'file' : 'files'
    const start = hasAny(words, DETAILS) ? `Read the details of the ${what} ` : `Read the ${what} `
    const used = [...paths, ...folders]
    return { pieces: [text(start), ...values(draft, paths), ...inFolders(draft, folders)], used, button }
  }
  const others = draft.inputs - folders.length
  const inputs = others > 0 ? [text(`, ${counted(others, 'input')}`)] : []
  const pieces = [text('Read data with '), name(tool_id), ...inFolders(draft, folders), ...inputs]
  return { pieces, used: folders, button }
}

const TEMPLATES: Readonly<Record<Exclude<SentenceAction, 'unknown'>, (draft: SentenceDraft) => Made>> = {
  send,
  pay,
  delete: remove,
  write_file: writeFile,
  run_command: runCommand,
  change,
  fetch: fetchPage,
  read,
}

/** What every sentence must contain, and how it is introduced; empty: by the name of its field. */
const ALWAYS: Partial<Record<ArgumentRole, string>> = {
  to: 'to',
  cc: 'copy to',
  bcc: 'blind copy to',
  amount: 'amount',
  account: 'account',
  address: 'address',
  path: 'file',
  folder: 'folder',
  from: 'from',
  target: 'to',
  attachment: 'attachment',
  host: 'on',
  currency: 'currency',
  detail: '',
}

/**
 * Describes a call in one sentence, by templates, from effects and arguments. It uses neither the tool's own description nor a
 * model. Pure and total. The event loop may run between two steps, because arguments may contain thousands of values.
 * INVARIANT: it contains all recipients, amounts, accounts, addresses, paths and every value from outside, or a mark where one of
 * them is cut (laws in make-sentence.test.ts).
 * INVARIANT: it contains no invisible character.
 */
export const sentenceSteps: MakeSentence = function* (input) {
  const { tool_id, tool, args, sources = [], look_alikes = [] } = input
  const leaves = yield* leafSteps(args, tool_id)
  const draft: SentenceDraft = {
    tool_id,
    words: splitWords(tool_id.slice(tool_id.indexOf('__') + 2)),
    leaves,
    inputs: isJsonObject(args) ? Object.keys(args).length : 0,
    print: printerOf(sources, leaves, look_alikes),
    ...(tool?.shell === undefined ? {} : { shell: pointerOf(tool.shell.split('.')) }),
  }
  const action = actionFor(draft, tool)
  yield
  const made = action === 'unknown' ? unknown(draft, tool) : TEMPLATES[action](draft)
  yield
  const pieces = [...made.pieces, ...(yield* rest(draft, made))]
  yield
  return { action, pieces, button: made.button, confirm: whatToType(draft, action) }
}

export const prepareSentences: PrepareGuest = () => ok({ ports: { makeSentence: sentenceSteps } })

/** The same without pauses. */
export function makeSentence(input: SentenceInput): Sentence {
  const steps = sentenceSteps(input)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** What a command does depends on its text, so the text is shown, whatever is known about the tool. */
function actionFor(draft: SentenceDraft, tool: SentenceInput['tool']): SentenceAction {
  if (tool === undefined) return 'unknown'
  const isRun = hasAny(draft.words, RUNS) && draft.leaves.some(({ role }) => role === 'command')
  if (isRun || (draft.shell !== undefined && commandIn(draft).length > 0)) return 'run_command'
  return tool.effects_from === 'unknown' ? 'unknown' : actionOf(draft, tool.effects)
}

function actionOf({ words, leaves }: SentenceDraft, effects: readonly ToolEffect[]): SentenceAction {
  const has = (...roles: readonly ArgumentRole[]) => leaves.some(({ role }) => roles.includes(role))
  if (effects.length === 0) return 'unknown'
  if (effects.every((effect) => effect === 'read')) return has('address') ? 'fetch' : 'read'
  if (has('amount') && (hasAny(words, PAYS) || has('account'))) return 'pay'
  if (has('command') && effects.includes('privileged')) return 'run_command'
  if (hasAny(words, DELETES)) return 'delete'
  if (has('path') && (has('content') || (hasAny(words, WRITES) && isInFiles(nounIn(words))))) return 'write_file'
  if (has('folder') && isFolderTool(words)) return 'write_file'
  if (effects.includes('external') && (has('to', 'cc', 'bcc') || hasAny(words, SENDS))) return 'send'
  if (has('command')) return 'run_command'
  return effects.includes('write') || effects.includes('destructive') ? 'change' : 'unknown'
}

function unknown({ tool_id, inputs }: SentenceDraft, tool: SentenceInput['tool']): Made {
  const says =
    tool === undefined || tool.effects_from === 'unknown'
      ? 'Its effects are unknown.'
      : 'There is no short description of what it does.'
  return {
    pieces: [text('Call '), name(tool_id), text(` with ${counted(inputs, 'input')}. ${says}`)],
    used: [],
    button: 'Approve and run',
  }
}

function introduced({ role, field }: ArgumentLeaf): SentencePiece {
  const words = ALWAYS[role] ?? ''
  return words === '' ? name(field) : text(words)
}

const STEP_PIECES = 100
/** More details of recipients and amounts are counted. */
const MOST_DETAILS = 50

/** Adds what the template left out but must be shown. */
function* rest(draft: SentenceDraft, { used, pieces }: Made): Generator<void, SentencePiece[]> {
  const shown = new Set(used)
  const isEnded = pieces.at(-1)?.text.endsWith('.') === true
  const all = draft.leaves.filter(
    (leaf) => !shown.has(leaf) && (ALWAYS[leaf.role] !== undefined || draft.print.isFromOutside(leaf)),
  )
  const details = all.filter((leaf) => leaf.role === 'detail' && !draft.print.isFromOutside(leaf))
  const cut = new Set(details.slice(MOST_DETAILS))
  const left = all.filter((leaf) => !cut.has(leaf))
  const added: SentencePiece[] = []
  for (const [index, leaf] of left.entries()) {
    if (index % STEP_PIECES === STEP_PIECES - 1) yield
    added.push(
      text(index === 0 ? (isEnded ? ' Also: ' : '. Also: ') : ', '),
      introduced(leaf),
      text(' '),
      ...addressPieces(draft.print, leaf),
    )
  }
  return cut.size === 0 ? added : [...added, text(` ⟨and ${counted(cut.size, 'more detail')}⟩`)]
}
