import type { SentencePiece } from '../../kernel/contract/sentence.ts'
import { splitWords } from '../../kernel/text/split-words.ts'
import { before, inFolders, isFolderTool, of, values, type SentenceDraft, type Made } from './draft.ts'
import { hiddenHost } from '../../kernel/text/hosts.ts'
import type { ArgumentLeaf } from '../../kernel/text/argument-roles.ts'
import { counted, joined, name, printed, text, type Printer } from './pieces.ts'
import {
  articled,
  CREATES,
  hasAny,
  isInFiles,
  MOVES,
  nounIn,
  PAYEE,
  SENT_THINGS,
  SMALL_UNIT,
} from '../../kernel/text/tool-vocabulary.ts'

/** Only an address: a text that merely contains one may say anything. */
const MAIL_ADDRESS = /^[^\s@<>"'(),:;]+@[^\s@<>"'(),:;]+\.[^\s@<>"'(),:;]+$/

export function send(draft: SentenceDraft): Made {
  const [to, cc, bcc, files] = [
    of(draft, 'to', 'account', 'target'),
    of(draft, 'cc'),
    of(draft, 'bcc'),
    of(draft, 'attachment'),
  ]
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

export function pay(draft: SentenceDraft): Made {
  const amounts = of(draft, 'amount')
  const [first] = amounts
  const currency = of(draft, 'currency')[0]
  const money = first === undefined || draft.print.isAmbiguous(first) ? undefined : amountOf(first, currency)
  const to = of(draft, 'to').filter(({ field }) => hasAny(splitWords(field), PAYEE))
  const accounts = [...of(draft, 'account'), ...of(draft, 'to', 'target').filter((leaf) => !to.includes(leaf))]
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
function amountOf({ field, text: figure }: ArgumentLeaf, currency: ArgumentLeaf | undefined): string | undefined {
  return hasAny(splitWords(field), SMALL_UNIT) ? undefined : moneyText(figure, currency?.text)
}

/** Beyond this many, names are only counted; paths and values from outside are all shown. */
const MOST_NAMES = 3

export function remove(draft: SentenceDraft): Made {
  const folders = of(draft, 'folder')
  const noun = nounIn(draft.words)
  const paths = isInFiles(noun) ? [...of(draft, 'path'), ...(isFolderTool(draft.words) ? folders : [])] : []
  const files = isInFiles(noun) ? [] : of(draft, 'path')
  const named = paths.length > 0 ? [] : [...of(draft, 'name'), ...of(draft, 'id', 'other')]
  const shown = named.filter((leaf, index) => index < MOST_NAMES || draft.print.isFromOutside(leaf))
  const more = named.length - shown.length
  const places = of(draft, 'place', 'host')
  const all = [...paths, ...shown]
  const inside = folders.filter((leaf) => !paths.includes(leaf))
  const what = noun === undefined ? '' : ` the ${noun}${all.length > 1 ? 's' : ''}`
  return {
    pieces: [
      text(`Delete${what}`),
      ...(all.length === 0 ? [text(' with '), name(draft.tool_id)] : [text(' '), ...values(draft, all)]),
      ...(more > 0 ? [text(` and ${more} more`)] : []),
      ...before(` in the ${files.length === 1 ? 'file' : 'files'} `, values(draft, files)),
      ...inFolders(draft, inside),
      ...before(' in ', values(draft, places)),
    ],
    used: [...all, ...files, ...inside, ...places],
    button: 'Approve and delete',
  }
}

export function change(draft: SentenceDraft): Made {
  const isNew = hasAny(draft.words, CREATES)
  // A new thing has a name; an existing one may get a new name, so its id says which one it is.
  const [named] = isNew ? of(draft, 'name') : [...of(draft, 'id'), ...of(draft, 'name')]
  const noun = nounIn(draft.words) ?? 'record'
  const folders = of(draft, 'folder')
  if (hasAny(draft.words, MOVES) && named !== undefined && folders.length === 1)
    return {
      pieces: [text(`Move the ${noun} `), draft.print.value(named), ...inFolders(draft, folders, 'to')],
      used: [named, ...folders],
      button: 'Approve and move',
    }
  const fields = Math.max(0, draft.inputs - (named === undefined ? 0 : 1) - folders.length)
  const last = named === undefined ? [text(' with '), name(draft.tool_id)] : [text(' '), draft.print.value(named)]
  const howMuch = fields === 0 ? '' : `${counted(fields, 'field')} of `
  const start = isNew ? `Create ${named === undefined ? articled(noun) : `the ${noun}`}` : undefined
  return {
    pieces: [
      text(start ?? `Change ${howMuch}${named === undefined ? articled(noun) : `the ${noun}`}`),
      ...last,
      ...inFolders(draft, folders),
      ...(isNew && fields > 0 ? [text(` with ${counted(fields, 'field')}`)] : []),
    ],
    used: [...(named === undefined ? [] : [named]), ...folders],
    button: isNew ? 'Approve and create' : 'Approve and change',
  }
}

export function fetchPage(draft: SentenceDraft): Made {
  const addresses = of(draft, 'address')
  return {
    pieces: [text('Fetch '), ...joined(addresses.flatMap((leaf) => addressPieces(draft.print, leaf)))],
    used: addresses,
    button: 'Approve and fetch',
  }
}

/** Names the host if it is not obvious from the URL. */
export function addressPieces(print: Printer, leaf: ArgumentLeaf): SentencePiece[] {
  const host = hiddenHost(leaf.text)
  const piece = print.value(leaf)
  return [host === undefined ? piece : { ...piece, text: `${piece.text} ⟨host ${printed(host)}⟩` }]
}

const SIGNS: Readonly<Record<string, string>> = { EUR: '€', USD: '$', GBP: '£', JPY: '¥' }
/** Currencies without a smaller unit. */
const WHOLE: ReadonlySet<string> = new Set(
  'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '),
)
const DECIMAL = /^(-?)(\d{1,30})(?:\.(\d{1,18}))?$/

/**
 * An amount with its currency: `€4,820.00`. Digits are grouped and never rounded. Undefined if the amount is not a plain decimal
 * number or the currency is not a three-letter code: then both are shown as they are.
 */
function moneyText(amount: string, currency: string | undefined): string | undefined {
  const [, minus = '', whole = '', fraction = ''] = DECIMAL.exec(amount.trim()) ?? []
  const code = currency?.trim().toUpperCase()
  if (whole === '' || (code !== undefined && !/^[A-Z]{3}$/.test(code))) return undefined
  const grouped = whole.replace(/^0+(?=\d)/, '').replaceAll(/\B(?=(\d{3}){1,21}$)/g, ',')
  const decimals = code === undefined || WHOLE.has(code) ? fraction : fraction.padEnd(2, '0')
  const number = decimals === '' ? grouped : `${grouped}.${decimals}`
  if (code === undefined) return `${minus}${number}`
  const sign = SIGNS[code]
  return sign === undefined ? `${code} ${minus}${number}` : `${minus}${sign}${number}`
}
