import type { Confirm, SentenceAction, SentencePiece } from '../../kernel/contract/sentence.ts'
import { numberedText } from '../../kernel/contract/visible-text.ts'
import { sensitiveName } from '../../kernel/text/sensitive-names.ts'
import { commandIn, commandText } from './command-template.ts'
import { isFolderTool, of, type SentenceDraft } from './draft.ts'
import { hostOf, hostsIn, isMailAddress, namesIn } from '../../kernel/text/hosts.ts'
import type { ArgumentLeaf } from '../../kernel/text/argument-roles.ts'
import { CREATES, hasAny } from '../../kernel/text/tool-vocabulary.ts'

/** More than this many are not all typed: then it is their number, and those that are suspect. */
const MOST = 5
const MOST_SUSPECT = 10
/** A longer path is typed by its last part. */
const LONGEST_PATH = 40
/** A longer command or name is typed by what it names, else by its beginning. */
const LONGEST = 80
const BEGINNING = 60

type What = Confirm['what']

/**
 * What a person types to confirm the call. INVARIANT: the roles of the arguments alone decide which of them it is, so that an agent cannot
 * offer an easier one; the folder in which something happens is never typed.
 */
export function whatToType(draft: SentenceDraft, action: SentenceAction): Confirm {
  const isFolder = isFolderTool(draft.words)
  const wordsOf: Readonly<Record<Exclude<What, 'tool' | 'command'>, () => readonly string[]>> = {
    recipient: () => counted(draft, recipientsOf(draft, action), 'recipients', personWords),
    host: () => counted(draft, of(draft, 'address'), 'addresses', ({ text }) => [hostOf(text) ?? text]),
    amount: () => counted(draft, of(draft, 'amount'), 'amounts', ({ text }) => [text]),
    file: () => (isFolder ? [] : counted(draft, of(draft, 'path'), 'files', fileWords)),
    folder: () => (isFolder ? counted(draft, of(draft, 'path', 'folder'), 'folders', fileWords) : []),
    name: () => (NAMED.has(action) ? counted(draft, namesOf(draft), 'names', ({ text }) => [text]) : []),
  }
  const order = action === 'run_command' ? COMMAND_FIRST : FILES.has(action) ? FILES_FIRST : PEOPLE_FIRST
  for (const what of order) {
    const confirm = what === 'command' ? commandWords(commandText(commandIn(draft))) : { what, words: wordsOf[what]() }
    if (confirm.words.length > 0) return confirm
  }
  return { what: 'tool', words: [draft.tool_id === '' ? 'approve' : draft.tool_id] }
}

const COMMAND_FIRST = ['command', 'recipient', 'host', 'amount', 'file'] as const
const PEOPLE_FIRST = ['recipient', 'host', 'amount', 'file', 'folder', 'command', 'name'] as const
const FILES_FIRST = ['recipient', 'file', 'folder', 'amount', 'host', 'command', 'name'] as const
const FILES: ReadonlySet<SentenceAction> = new Set(['write_file', 'delete', 'read'])
/** The thing exists, so its name was not made up for this call. */
const NAMED: ReadonlySet<SentenceAction> = new Set(['delete', 'change'])

/** Money goes to an account, whatever its owner is called; a message goes to people, whichever account it is sent from. */
function recipientsOf(draft: SentenceDraft, action: SentenceAction): readonly ArgumentLeaf[] {
  const people = [...of(draft, 'to', 'target'), ...of(draft, 'cc'), ...of(draft, 'bcc')]
  const accounts = of(draft, 'account')
  const [first, second] = action === 'pay' ? [accounts, people] : [people, accounts]
  return first.some(isFilled) ? first : second
}

function namesOf(draft: SentenceDraft): readonly ArgumentLeaf[] {
  if (hasAny(draft.words, CREATES)) return []
  const ids = of(draft, 'id').filter(isFilled)
  return ids.length > 0 ? ids : of(draft, 'name')
}

const isFilled = ({ text }: ArgumentLeaf) => /[^\s,;]/.test(text)

/** The words of each leaf, or their number with those of the leaves that are suspect. */
function counted(
  draft: SentenceDraft,
  leaves: readonly ArgumentLeaf[],
  many: string,
  wordsOf: (leaf: ArgumentLeaf) => readonly string[],
): readonly string[] {
  const words = (some: readonly ArgumentLeaf[]) => shown(some.filter(isFilled).flatMap(wordsOf))
  const all = words(leaves)
  if (all.length <= MOST) return all
  const isMarked = (piece: SentencePiece) => piece.is !== 'text' && piece.mark !== undefined
  const isSuspect = (leaf: ArgumentLeaf) => draft.print.isFromOutside(leaf) || isMarked(draft.print.value(leaf))
  return [`${all.length} ${many}`, ...words(leaves.filter(isSuspect)).slice(0, MOST_SUSPECT)]
}

/** Without repetitions, and with every character visible. */
const shown = (words: readonly string[]): readonly string[] => [
  ...new Set(words.map((word) => visible(word.trim())).filter((word) => /[^\s,;]/.test(word))),
]

function visible(word: string): string {
  const letters = Array.from(word)
  return numberedText(letters.length > LONGEST ? letters.slice(0, BEGINNING).join('').trim() : word)
}

/** Several addresses may be in one text. */
function personWords({ text }: ArgumentLeaf): readonly string[] {
  const parts = text.split(/[,;\n]/).filter((part) => part.trim() !== '')
  const isList = parts.length > 1 && parts.every((part) => isMailAddress(part.replace(/^.*<(.*)>\s*$/s, '$1')))
  if (isList) return parts
  const names = text.length > LONGEST ? namesIn(text) : []
  return names.length > 0 ? names : [text]
}

function fileWords({ text }: ArgumentLeaf): readonly string[] {
  if (text.length <= LONGEST_PATH) return [text]
  const last = text.split(/[\\/]/).findLast((part) => part.trim() !== '') ?? text
  // `*` or `..` alone says nothing.
  return [(last.match(/[\p{L}\p{N}]/gu) ?? []).length < 3 ? text : last]
}

const OPERATORS = /[;&|<>$`\n\r]/
const IN_COMMAND = /[^\s"'`|;&<>()=@,]+/g

/** The secret file that a simple command is about, else the whole command; of a long one, the addresses and secret files that it names. */
function commandWords(command: string): Confirm {
  const secrets = [...command.matchAll(IN_COMMAND)]
    .map(([word]) => word)
    .filter((word) => sensitiveName(word) !== undefined)
  const hosts = [...new Set([...hostsIn(command), ...namesIn(command).filter(isMailAddress)])]
  const files = shown(secrets)
  if (files.length > 0 && files.length <= MOST && hosts.length === 0 && !OPERATORS.test(command))
    return { what: 'file', words: files }
  const named = Array.from(command).length > LONGEST ? shown([...hosts, ...secrets]) : []
  if (named.length > 0 && named.length <= MOST) return { what: 'command', words: named }
  return { what: 'command', words: shown([command]) }
}
