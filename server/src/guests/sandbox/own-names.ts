import type { OwnNames } from '../../kernel/ports/files.ts'
import { trimmedEnd } from '../../kernel/contract/trimmed.ts'
import { KnownNames } from '../../kernel/text/known-names.ts'
import { buildWordFinder, holdsWord, type WordFinder } from '../../kernel/text/word-finder.ts'
import { isText, type ArgumentText } from './argument-texts.ts'
import type { Certainty } from './files-fact.ts'
import { nameSpellings } from './name-spellings.ts'
import { isProse } from '../../kernel/text/path-shapes.ts'

/** A text that names one of the gate's own files. */
export type OwnName = {
  readonly certainty: Certainty
  /** The paths that name it, as far as they can be separated from the surrounding text. */
  readonly paths: readonly string[]
}

type Kind = ArgumentText['kind']

/**
 * Whether a text names one of the gate's own files, in any spelling that some program resolves and relative to any folder: the data
 * folder as a part of a path, or one of its files without a folder. In text that is only read it is a mention, unless it is in a
 * place where a document refers to a file.
 */
export function ownNameIn(text: string, kind: Kind, own: OwnNames): OwnName | undefined {
  if (kind !== 'name') return searched(text, kind, own)
  const others = otherNames.get(own) ?? new KnownNames()
  if (others.get(text) === true) return undefined
  const found = searched(text, kind, own)
  if (found === undefined) others.set(text, true)
  otherNames.set(own, others)
  return found
}

/** Names of fields that name none of them. They recur with every call. */
const otherNames = new WeakMap<OwnNames, KnownNames<true>>()

function searched(text: string, kind: Kind, own: OwnNames): OwnName | undefined {
  const near = kind === 'command' ? text : withoutFarAddresses(text)
  const spellings = kind === 'content' && text.length > LONGEST_REFERENCE ? [near.toLowerCase()] : nameSpellings(near)
  if (!mayBeNamed(spellings, own)) return undefined
  const inFolder = own.folder === undefined ? [] : spellings.flatMap((one) => folderPaths(one, own.folder ?? ''))
  if (inFolder.length > 0) {
    const certainty = certaintyOfFolder(text, kind, spellings, own)
    return certainty === undefined ? undefined : { certainty, paths: inFolder }
  }
  if (kind === 'content') return undefined
  const isMany = /\s/.test(text.trim()) && kind !== 'command' && kind !== 'file'
  const files = spellings.flatMap((one) => filePaths(one, own.files))
  return files.length === 0 ? undefined : { certainty: isMany ? 'mention' : 'path', paths: files }
}

/** Whether a spelling may contain the name of the folder or of a file, forwards or backwards, or a short name of Windows. */
function mayBeNamed(spellings: readonly string[], own: OwnNames): boolean {
  const finder = finders.get(own) ?? finderOf(own)
  return finder === 'none' || spellings.some((text) => holdsWord(text, finder))
}

const finders = new WeakMap<OwnNames, WordFinder | 'none'>()

/** Finds these names in one pass. `none` if one of them is not ASCII, because a finder would miss it. */
function finderOf(own: OwnNames): WordFinder | 'none' {
  const { folder, files } = own
  const ofFolder = folder === undefined ? [] : [folder, '~', reversed(folder)]
  const words = [...ofFolder, ...files.flatMap((file) => [lastOf(file), reversed(file)])]
  // oxlint-disable-next-line no-control-regex -- everything beyond ASCII
  const finder = words.some((word) => /[^\x00-\x7f]/.test(word)) ? 'none' : buildWordFinder(words)
  finders.set(own, finder)
  return finder
}

/** A longer text is meant to be read, and is compared as written. */
const LONGEST_REFERENCE = 1024

const REFERS =
  /(?:\bsystem\s{1,9}["']|\binclude\b[^\n]{0,20}["'(<]|\b(?:src|href)\s{0,9}=|@|^\s{0,9}(?:\+\+\+|---|\*\*\*(?: \w+ file:)?|diff --git|rename (?:from|to)|copy (?:from|to))\s{1,9}|\]\(|\bfile:|\burl\()[^\s]{0,400}$/m

function certaintyOfFolder(
  text: string,
  kind: Kind,
  spellings: readonly string[],
  own: OwnNames,
): Certainty | undefined {
  if (kind === 'other' && isProse(text)) return 'mention'
  if (kind !== 'content') return 'path'
  if (!/\s/.test(text.trim())) return 'path'
  const folder = own.folder ?? ''
  const isReferred = spellings.some((one) =>
    placesOf(one, folder).some((at) => REFERS.test(one.slice(Math.max(0, at - 480), at))),
  )
  if (isReferred) return 'path'
  const names = own.files.map((file) => `${folder}/${file}`)
  return spellings.some((one) => names.some((name) => one.includes(name))) ? 'mention' : undefined
}

const MOST_PLACES = 32
const NAME_BEFORE = /[a-z0-9_.]/
const NAME_AFTER = /^(?:[a-z0-9_-]|\.+[a-z0-9_-])/

/** Where the folder's name occurs as a whole name, not as a part of another. */
function placesOf(text: string, folder: string): readonly number[] {
  const places: number[] = []
  for (let at = text.indexOf(folder); at >= 0 && places.length < MOST_PLACES; at = text.indexOf(folder, at + 1)) {
    const before = text[at - 1]
    const isOwn =
      before === undefined || !NAME_BEFORE.test(before) || /(?:^|\s)-[a-z]$/.test(text.slice(Math.max(0, at - 3), at))
    if (isOwn && !NAME_AFTER.test(text.slice(at + folder.length, at + folder.length + 20))) places.push(at)
  }
  return places
}

const SEPARATOR = /[\s"'`<>|&;,()=@#?{}[\]]/

function folderPaths(text: string, folder: string): readonly string[] {
  const whole = placesOf(text, folder).map((at) => {
    let start = at
    while (start > 0 && at - start < 4096 && !SEPARATOR.test(text.charAt(start - 1))) start -= 1
    return text.slice(start, at + folder.length)
  })
  return [...whole, ...shortNamed(text, folder), ...(text.includes(reversed(folder)) ? [folder] : [])]
}

/** The short names that Windows gives to files with long names: `SLUICE~1`, or `SL4F2A~1` if several begin alike. */
function shortNamed(text: string, name: string): readonly string[] {
  if (!text.includes('~')) return []
  const letters = name.replaceAll('.', '')
  const [long, short] = [letters.slice(0, 6), letters.slice(0, 2)]
  return text.split(/[/\\\s"']/).filter((one) => {
    const [stem = '', number = ''] = one.split('~')
    return /^\d/.test(number) && (stem === long || (stem.startsWith(short) && /^[0-9a-f]{4}$/.test(stem.slice(2))))
  })
}

/** Paths that consist only of one of the files, optionally after `.`, `..` or a variable. */
function filePaths(text: string, files: readonly string[]): readonly string[] {
  if (!files.some((file) => text.includes(lastOf(file)) || text.includes(reversed(file)))) return []
  return text.split(/[\s"'`<>|&;,()=@#?{}[\]:]+/).filter((piece) => {
    if (piece.startsWith('/')) return false
    const own = shortened(piece)
    return files.some((file) => own === file || own === lastOf(file) || own === reversed(file))
  })
}

/** Normalizes `a/../b` to `b`, without parent folders, variables, and trailing dots or spaces of names. */
function shortened(path: string): string {
  const names: string[] = []
  for (const name of path.split('/')) {
    if (name === '..') names.pop()
    else if (trimmedEnd(name, '. ') !== '' && !/^(?:\$|~|%\w+%)/.test(name)) names.push(trimmedEnd(name, '. '))
  }
  return names.join('/')
}

/** The last name of a path, and the path reversed. The gate's own files are few, and every text is compared with them. */
type Spelled = { readonly last: string; readonly backwards: string }
const SPELLED = new Map<string, Spelled>()
const MOST_SPELLED = 1_000

function spelled(path: string): Spelled {
  const known = SPELLED.get(path)
  if (known !== undefined) return known
  const made = { last: path.slice(path.lastIndexOf('/') + 1), backwards: Array.from(path).toReversed().join('') }
  if (SPELLED.size >= MOST_SPELLED) SPELLED.clear()
  SPELLED.set(path, made)
  return made
}

const lastOf = (path: string): string => spelled(path).last
const reversed = (path: string): string => spelled(path).backwards

/** A URL of another machine names no local file. A URL of this machine may be served from this folder. */
function withoutFarAddresses(text: string): string {
  if (!text.includes('://')) return text
  return text.replace(/\bhttps?:\/\/([^\s/"'<>`]{0,255})[^\s"'<>`]{0,4096}/gi, (all, host: string) =>
    /(?:^|@)(?:localhost|127\.|0\.0\.0\.0|\[?::1?\]?|unix|%2f)/i.test(host) || host === '' ? all : ' ',
  )
}

const MOST_JOINED = 16
const LONGEST_JOINED = 512
const EXTENSION = /ext|suffix|format|type|kind/i

const isPart = ({ text, kind }: ArgumentText): boolean =>
  kind !== 'name' && !isText(kind) && text.length <= LONGEST_JOINED && text !== ''

/** Texts that name one of the files only when combined: `.slu` and `ice`, a name and its extension, the items of a list. */
export function ownNameAcross(texts: readonly ArgumentText[], own: OwnNames): readonly (readonly string[])[] {
  const parts = texts.filter(isPart)
  if (parts.length < 2 || parts.length > MOST_JOINED) return []
  const names = [...(own.folder === undefined ? [] : [own.folder]), ...own.files.map(lastOf)]
  const lower = parts.map(({ text, path }) => ({ text: text.toLowerCase(), path }))
  const isNew = (joined: string, ...from: string[]) =>
    names.some((name) => joined.includes(name) && !from.some((one) => one.includes(name)) && isWhole(joined, name))
  const pairs = lower.flatMap((one) =>
    lower.flatMap((other) => {
      if (one === other) return []
      const dotted = EXTENSION.test(other.path.at(-1) ?? '') ? [`${one.text}.${other.text.replace(/^\./, '')}`] : []
      return [`${one.text}${other.text}`, ...dotted].some((joined) => isNew(joined, one.text, other.text))
        ? [other.path]
        : []
    }),
  )
  const all = lower.map(({ text }) => text)
  const lists = [all, all.toReversed()].some((some) => isNew(some.join(''), ...all)) ? [lower[0]?.path ?? []] : []
  return [...pairs, ...lists]
}

function isWhole(text: string, name: string): boolean {
  if (name.startsWith('.')) return placesOf(text, name).length > 0
  const at = text.indexOf(name)
  return !/[a-z0-9_.-]/.test(text[at - 1] ?? '/') && !NAME_AFTER.test(text.slice(at + name.length))
}
