import { isJsonObject, type Json } from '../../contract/json.ts'
import type { Sentence, SentenceAction, SentencePiece } from '../../contract/sentence.ts'
import type { Tool, ToolEffect } from '../../contract/tool.ts'
import type { ValueSource } from '../../contract/value-source.ts'
import { splitWords } from '../gate/risk/split-words.ts'
import { leafSteps, pointerOf, type Role } from './leaves.ts'
import { counted, name, printerOf, text } from './pieces.ts'
import { commandIn, runCommand } from './command-template.ts'
import { isFolderTool, type Draft, type Made } from './draft.ts'
import { read, writeFile } from './file-templates.ts'
import { addressPieces, change, fetchPage, pay, remove, send } from './templates.ts'
import { DELETES, hasAny, isInFiles, nounIn, PAYS, RUNS, SENDS, WRITES } from './vocabulary.ts'

export type SentenceInput = {
  readonly tool_id: string
  /** Absent if the tool is no longer in the catalogue. */
  readonly tool?: Pick<Tool, 'effects' | 'effects_from' | 'shell'> | undefined
  /** As approvers see them: without secrets. */
  readonly args: Json
  readonly sources?: readonly ValueSource[]
}

const TEMPLATES: Readonly<Record<Exclude<SentenceAction, 'unknown'>, (draft: Draft) => Made>> = {
  send,
  pay,
  delete: remove,
  write_file: writeFile,
  run_command: runCommand,
  change,
  fetch: fetchPage,
  read,
}

/** What every sentence must contain, and how it is introduced. */
const ALWAYS: Partial<Record<Role, string>> = {
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
}

/**
 * Describes a call in one sentence, by templates, from effects and arguments. It uses neither the tool's own description nor a
 * model. Pure and total. The event loop may run between two steps, because arguments may contain thousands of values.
 * INVARIANT: it contains all recipients, amounts, accounts, addresses, paths and every value from outside (laws in
 * make-sentence.test.ts).
 * INVARIANT: it contains no invisible character.
 */
export function* sentenceSteps({ tool_id, tool, args, sources = [] }: SentenceInput): Generator<void, Sentence> {
  const draft: Draft = {
    tool_id,
    words: splitWords(tool_id.slice(tool_id.indexOf('__') + 2)),
    leaves: yield* leafSteps(args, tool_id),
    inputs: isJsonObject(args) ? Object.keys(args).length : 0,
    print: printerOf(sources),
    ...(tool?.shell === undefined ? {} : { shell: pointerOf(tool.shell.split('.')) }),
  }
  const action = actionFor(draft, tool)
  yield
  const made = action === 'unknown' ? unknown(draft, tool) : TEMPLATES[action](draft)
  yield
  const pieces = [...made.pieces, ...(yield* rest(draft, made))]
  return { action, pieces, button: made.button }
}

/** The same without pauses. */
export function makeSentence(input: SentenceInput): Sentence {
  const steps = sentenceSteps(input)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** What a command does depends on its text, so the text is shown, whatever is known about the tool. */
function actionFor(draft: Draft, tool: SentenceInput['tool']): SentenceAction {
  if (tool === undefined) return 'unknown'
  const isRun = hasAny(draft.words, RUNS) && draft.leaves.some(({ role }) => role === 'command')
  if (isRun || (draft.shell !== undefined && commandIn(draft).length > 0)) return 'run_command'
  return tool.effects_from === 'unknown' ? 'unknown' : actionOf(draft, tool.effects)
}

function actionOf({ words, leaves }: Draft, effects: readonly ToolEffect[]): SentenceAction {
  const has = (...roles: readonly Role[]) => leaves.some(({ role }) => roles.includes(role))
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

function unknown({ tool_id, inputs }: Draft, tool: SentenceInput['tool']): Made {
  const says =
    tool === undefined || tool.effects_from === 'unknown'
      ? 'Its effects are not declared.'
      : 'There is no short description of what it does.'
  return {
    pieces: [text('Use '), name(tool_id), text(` with ${counted(inputs, 'input')}. ${says}`)],
    used: [],
    button: 'Approve and run',
  }
}

const STEP_PIECES = 100

/** Adds what the template left out but must be shown. */
function* rest(draft: Draft, { used, pieces }: Made): Generator<void, SentencePiece[]> {
  const shown = new Set(used.map(({ at }) => at))
  const isEnded = pieces.at(-1)?.text.endsWith('.') === true
  const left = draft.leaves.filter(
    (leaf) => !shown.has(leaf.at) && (ALWAYS[leaf.role] !== undefined || draft.print.isFromOutside(leaf)),
  )
  const added: SentencePiece[] = []
  for (const [index, leaf] of left.entries()) {
    if (index % STEP_PIECES === STEP_PIECES - 1) yield
    added.push(
      text(index === 0 ? (isEnded ? ' Also: ' : '. Also: ') : ', '),
      ALWAYS[leaf.role] === undefined ? name(leaf.field) : text(ALWAYS[leaf.role] ?? ''),
      text(' '),
      ...addressPieces(draft.print, leaf),
    )
  }
  return added
}
