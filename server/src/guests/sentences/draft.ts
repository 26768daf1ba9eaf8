import type { SentencePiece } from '../../kernel/contract/sentence.ts'
import type { ArgumentLeaf, ArgumentRole } from '../../kernel/text/argument-roles.ts'
import { joined, text, type Printer } from './pieces.ts'
import { hasAny, nounIn } from '../../kernel/text/tool-vocabulary.ts'

/** The input of a template. */
export type SentenceDraft = {
  readonly tool_id: string
  /** The words of the tool's name. */
  readonly words: readonly string[]
  readonly leaves: readonly ArgumentLeaf[]
  /** Where the shell command is, for a tool that takes one: a JSON pointer. */
  readonly shell?: string
  /** How many top-level arguments there are. */
  readonly inputs: number
  readonly print: Printer
}

/** A sentence without its common ending. `used`: the leaves whose values it contains. */
export type Made = {
  readonly pieces: readonly SentencePiece[]
  readonly used: readonly ArgumentLeaf[]
  readonly button: string
}

export const of = ({ leaves }: SentenceDraft, ...roles: readonly ArgumentRole[]): readonly ArgumentLeaf[] =>
  leaves.filter(({ role }) => roles.includes(role))
export const values = ({ print }: SentenceDraft, leaves: readonly ArgumentLeaf[]) =>
  joined(leaves.map((leaf) => print.value(leaf)))
export const before = (words: string, pieces: readonly SentencePiece[]) =>
  pieces.length === 0 ? [] : [text(words), ...pieces]

/** ` in the folder x`: of a disk, a mailbox or anything else that has folders. */
export const inFolders = (draft: SentenceDraft, folders: readonly ArgumentLeaf[], word = 'in') =>
  before(` ${word} the ${folders.length === 1 ? 'folder' : 'folders'} `, values(draft, folders))

/** Whether the tool's name says that it acts on folders: `create_directory`, `mkdir`. */
export const isFolderTool = (words: readonly string[]): boolean =>
  ['folder', 'directory'].includes(nounIn(words) ?? '') || hasAny(words, FOLDER_VERBS)
const FOLDER_VERBS: ReadonlySet<string> = new Set(['mkdir', 'rmdir', 'ls', 'tree'])
