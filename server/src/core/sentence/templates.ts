import type { SentencePiece } from '../../contract/sentence.ts'
import { hiddenHost, hostsIn, namesIn } from './hosts.ts'
import type { Leaf, Role } from './leaves.ts'
import { moneyText } from './money.ts'
import { counted, joined, name, printed, text, type Printer } from './pieces.ts'
import { COPIES, CREATES, hasAny, MOVES, nounIn, PAYEE, SENT_THINGS, SMALL_UNIT } from './vocabulary.ts'
import { splitWords } from '../gate/risk/split-words.ts'

/** The input of a template. */
export type Draft = {
  readonly tool_id: string
  /** The words of the tool's name. */
  readonly words: readonly string[]
  readonly leaves: readonly Leaf[]
  /** How many top-level arguments there are. */
  readonly inputs: number
  readonly print: Printer
}

/** A sentence without its common ending. `used`: the leaves whose values it contains. */
export type Made = {
  readonly pieces: readonly SentencePiece[]
  readonly used: readonly Leaf[]
  readonly button: string
}

const of = ({ leaves }: Draft, ...roles: readonly Role[]): readonly Leaf[] =>
  leaves.filter(({ role }) => roles.includes(role))
const values = ({ print }: Draft, leaves: readonly Leaf[]) => joined(leaves.map((leaf) => print.value(leaf)))
const before = (words: string, pieces: readonly SentencePiece[]) =>
  pieces.length === 0 ? [] : [text(words), ...pieces]

/** Only an address: a text that merely contains one may say anything. */
const MAIL_ADDRESS = /^[^\s@<>"'(),:;]+@[^\s@<>"'(),:;]+\.[^\s@<>"'(),:;]+$/

export function send(draft: Draft): Made {
  const [to, cc, bcc, files] = [of(draft, 'to', 'account'), of(draft, 'cc'), of(draft, 'bcc'), of(draft, 'attachment')]
  const people = [...to, ...cc, ...bcc]
  const isMail = people.length > 0 && people.every((leaf) => MAIL_ADDRESS.test(leaf.text))
  const known = SENT_THINGS.find(([words]) => hasAny(draft.words, words))?.[1]
  const what = known ?? (isMail ? 'an e-mail' : 'something')
  const places = to.length + cc.length + bcc.length === 0 ? of(draft, 'address', 'place') : []
  const nobody = to.length + cc.length + bcc.length + places.length === 0
  return {
    pieces: [
      text(`Send ${what}`),
      ...before(' to ', values(draft, to)),
      ...before(' to ', values(draft, places)),
      ...(nobody ? [text(' with '), name(draft.tool_id)] : []),
      ...before(', copy to ', values(draft, cc)),
      ...before(', blind copy to ', values(draft, bcc)),
      ...before(` with ${counted(files.length, 'attachment')}: `, values(draft, files)),
    ],
    used: [...to, ...cc, ...bcc, ...places, ...files],
    button: 'Approve and send',
  }
}

export function pay(draft: Draft): Made {
  const amounts = of(draft, 'amount')
  const [first] = amounts
  const currency = of(draft, 'currency')[0]
  const money = first === undefined ? undefined : amountOf(first, currency)
  const to = of(draft, 'to').filter(({ field }) => hasAny(splitWords(field), PAYEE))
  const accounts = [...of(draft, 'account'), ...of(draft, 'to').filter((leaf) => !to.includes(leaf))]
  const isRaw = money === undefined
  return {
    pieces: [
      text('Pay '),
      ...(first === undefined ? [] : [draft.print.value(first, money)]),
      ...(isRaw && currency !== undefined ? [text(' '), draft.print.value(currency)] : []),
      ...before(' to ', values(draft, to)),
      ...before(to.length === 0 ? ' to account ' : ', account ', values(draft, accounts)),
      ...(to.length + accounts.length === 0 ? [text(' with '), name(draft.tool_id)] : []),
    ],
    used: [...(first === undefined ? [] : [first]), ...(currency === undefined ? [] : [currency]), ...to, ...accounts],
    button: money === undefined ? 'Approve and pay' : `Approve and pay ${money}`,
  }
}

/** Undefined if the meaning of the number cannot be determined. */
function amountOf({ field, text: figure }: Leaf, currency: Leaf | undefined): string | undefined {
  return hasAny(splitWords(field), SMALL_UNIT) ? undefined : moneyText(figure, currency?.text)
}

/** Beyond this many, names are only counted; paths and values from outside are all shown. */
const MOST_NAMES = 3

export function remove(draft: Draft): Made {
  const paths = of(draft, 'path')
  const named = paths.length > 0 ? [] : [...of(draft, 'name'), ...of(draft, 'id', 'other')]
  const shown = named.filter((leaf, index) => index < MOST_NAMES || draft.print.isFromOutside(leaf))
  const more = named.length - shown.length
  const places = of(draft, 'place', 'host')
  const noun = nounIn(draft.words)
  const all = [...paths, ...shown]
  const what = noun === undefined ? '' : ` the ${noun}${all.length > 1 ? 's' : ''}`
  return {
    pieces: [
      text(`Delete${what}`),
      ...(all.length === 0 ? [text(' with '), name(draft.tool_id)] : [text(' '), ...values(draft, all)]),
      ...(more > 0 ? [text(` and ${more} more`)] : []),
      ...before(' in ', values(draft, places)),
    ],
    used: [...all, ...places],
    button: 'Approve and delete',
  }
}

export function writeFile(draft: Draft): Made {
  const paths = of(draft, 'path')
  const isMove = hasAny(draft.words, MOVES)
  if ((isMove || hasAny(draft.words, COPIES)) && paths.length === 2) return moveFile(draft, paths, isMove)
  const contents = of(draft, 'content')
  const lines = contents.reduce((sum, { text: content }) => sum + content.split('\n').length, 0)
  const size = contents.length === 0 ? '' : `, ${counted(lines, 'line')}`
  return {
    pieces: [
      text(paths.length === 1 ? 'Write the file ' : `Write ${counted(paths.length, 'file')}: `),
      ...values(draft, paths),
      text(size),
    ].filter((piece) => piece.text !== ''),
    used: paths,
    button: 'Approve and write',
  }
}

function moveFile(draft: Draft, paths: readonly Leaf[], isMove: boolean): Made {
  const isTarget = ({ field }: Leaf) => hasAny(splitWords(field), TARGETS)
  const [from, to] = [paths.find((leaf) => !isTarget(leaf)), paths.find(isTarget)]
  const [first, second] = from === undefined || to === undefined ? paths : [from, to]
  const verb = isMove ? 'Move' : 'Copy'
  return {
    pieces: [
      text(`${verb} the file `),
      ...(first === undefined ? [] : [draft.print.value(first)]),
      ...before(' to ', second === undefined ? [] : [draft.print.value(second)]),
    ],
    used: paths,
    button: `Approve and ${verb.toLowerCase()}`,
  }
}

const TARGETS: ReadonlySet<string> = new Set('destination dest dst to target new'.split(' '))
const MOST_OF_A_COMMAND = 80
const PATH_IN_TEXT = /(?:~|\.{1,2})?\/[^\s"'`|;&<>()]+/g

export function runCommand(draft: Draft): Made {
  const commands = of(draft, 'command')
  const [first] = commands
  const hosts = of(draft, 'host')
  // A list of words is one command.
  const isOne = commands.length > 1 && new Set(commands.map(({ field }) => field)).size === 1
  const parts = isOne ? commands : first === undefined ? [] : [first]
  const whole = Array.from(parts.map(({ text: word }) => word).join(' '))
  const isLong = whole.length > MOST_OF_A_COMMAND
  const shown = isLong ? `${printed(whole.slice(0, MOST_OF_A_COMMAND).join(''))}…` : printed(whole.join(''))
  const rest = isLong ? whole.join('') : ''
  const hidden = [
    ...new Set([...hostsIn(rest), ...namesIn(rest), ...[...rest.matchAll(PATH_IN_TEXT)].map(([path]) => path)]),
  ]
  const isOutside = parts.some((leaf) => draft.print.isFromOutside(leaf))
  const at = first?.at ?? ''
  return {
    pieces: [
      text('Run a command'),
      ...(hosts.length === 0 ? [text(' with '), name(draft.tool_id)] : before(' on ', values(draft, hosts))),
      text(': '),
      isOutside ? { is: 'outside', text: shown, at } : { is: 'value', text: shown, at },
      ...(isLong ? [text(` (${whole.length.toLocaleString('en-GB')} characters)`)] : []),
      ...before('. It names ', joined(hidden.map((word) => ({ is: 'value', text: printed(word), at })))),
    ],
    used: [...parts, ...hosts],
    button: 'Approve and run',
  }
}

export function change(draft: Draft): Made {
  const [named] = [...of(draft, 'name'), ...of(draft, 'id')]
  const noun = nounIn(draft.words) ?? 'record'
  const isNew = hasAny(draft.words, CREATES)
  const fields = Math.max(0, draft.inputs - (named === undefined ? 0 : 1))
  const last = named === undefined ? [text(' with '), name(draft.tool_id)] : [text(' '), draft.print.value(named)]
  const start = isNew ? `Create ${named === undefined ? articled(noun) : `the ${noun}`}` : undefined
  return {
    pieces: [
      text(start ?? `Change ${counted(fields, 'field')} of ${named === undefined ? articled(noun) : `the ${noun}`}`),
      ...last,
      ...(isNew && fields > 0 ? [text(` with ${counted(fields, 'field')}`)] : []),
    ],
    used: named === undefined ? [] : [named],
    button: isNew ? 'Approve and create' : 'Approve and change',
  }
}

const articled = (noun: string) => `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`

export function fetchPage(draft: Draft): Made {
  const addresses = of(draft, 'address')
  return {
    pieces: [text('Fetch '), ...joined(addresses.flatMap((leaf) => addressPieces(draft.print, leaf)))],
    used: addresses,
    button: 'Approve and fetch',
  }
}

/** Names the host if it is not obvious from the URL. */
export function addressPieces(print: Printer, leaf: Leaf): SentencePiece[] {
  const host = hiddenHost(leaf.text)
  const piece = print.value(leaf)
  return [host === undefined ? piece : { ...piece, text: `${piece.text} ⟨host ${printed(host)}⟩` }]
}

export function read(draft: Draft): Made {
  const [paths, queries] = [of(draft, 'path'), of(draft, 'query')]
  if (paths.length > 0)
    return {
      pieces: [text(paths.length === 1 ? 'Read the file ' : 'Read the files '), ...values(draft, paths)],
      used: paths,
      button: 'Approve and read',
    }
  const inputs = draft.inputs === 0 ? '' : `, ${counted(draft.inputs, 'input')}`
  return {
    pieces:
      queries.length > 0
        ? [text('Search with '), name(draft.tool_id), text(' for '), ...values(draft, queries)]
        : [text('Read with '), name(draft.tool_id), ...(inputs === '' ? [] : [text(inputs)])],
    used: queries,
    button: 'Approve and read',
  }
}
