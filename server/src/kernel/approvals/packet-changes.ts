import type { ToolResult } from '../contract/call.ts'
import { isJsonObject, type Json, type JsonObject } from '../contract/json.ts'
import type { DiffLine, PacketChange } from './packet-parts.ts'
import { numberedText } from '../contract/visible-text.ts'
import { splitWords } from '../text/split-words.ts'
import { fieldTypeOf } from '../text/field-names.ts'
import { fieldChanges } from './field-changes.ts'
import { lineDiff, shownDiff } from '../text/line-diff.ts'

export type ChangesInput = {
  /** As approvers see them. */
  readonly args: Json
  readonly edited_from?: Json
  readonly preview?: ToolResult
  /** False if the tool only reads: then it changes nothing, whatever its arguments look like. */
  readonly acts: boolean
}

/** What the call would change, as far as the edit, the dry run and the arguments tell. */
export function packetChanges({ args, edited_from, preview, acts }: ChangesInput): readonly PacketChange[] {
  const edited = edited_from === undefined ? [] : fieldChanges(edited_from, args)
  const dry = preview === undefined ? [] : dryRunChanges(preview)
  const isFileShown = dry.some(({ of }) => of === 'file')
  return [
    ...(edited.length === 0 ? [] : [{ of: 'arguments' as const, fields: edited }]),
    ...dry,
    // The dry run knows the file; the arguments only contain what is written.
    ...(isFileShown || !acts ? [] : fileChanges(args)),
  ]
}

const FILE_HEADER = /^(?:---|\+\+\+) (?:[ab]\/)?(.+?)(?:\t.*)?$/

function dryRunChanges({ content, structuredContent }: ToolResult): PacketChange[] {
  const changes: PacketChange[] = []
  if (isJsonObject(structuredContent) && 'before' in structuredContent && 'after' in structuredContent)
    changes.push({ of: 'dry_run', fields: fieldChanges(structuredContent['before'], structuredContent['after']) })
  for (const { text } of content) if (typeof text === 'string') changes.push(...unifiedDiff(text))
  return changes
}

/** A unified diff, as written by `diff -u` and git. A diff of several files is shown under the first. */
function unifiedDiff(text: string): PacketChange[] {
  const lines = text.split('\n')
  const start = lines.findIndex(
    (line, index) => line.startsWith('--- ') && lines[index + 1]?.startsWith('+++ ') === true,
  )
  if (start === -1) return []
  const names = [FILE_HEADER.exec(lines[start] ?? '')?.[1], FILE_HEADER.exec(lines[start + 1] ?? '')?.[1]]
  const path = names.findLast((name) => name !== undefined && name !== '/dev/null') ?? ''
  const shown = shownDiff(lines.slice(start + 2).flatMap(diffLine))
  const is = names[1] === '/dev/null' ? 'deleted' : names[0] === '/dev/null' ? 'written' : 'edited'
  return [{ of: 'file', path: numberedText(path), is, ...shown }]
}

function diffLine(line: string): DiffLine[] {
  if (line.startsWith('@@')) return [{ is: 'skipped', text: line }]
  const sign = line[0]
  if (sign !== '+' && sign !== '-' && sign !== ' ') return []
  return [{ is: sign === '+' ? 'added' : sign === '-' ? 'removed' : 'same', text: line.slice(1) }]
}

const OLD = new Set('old original before from search find'.split(' '))
const NEW = new Set('new after replacement replace to with updated'.split(' '))

/** What the arguments themselves say about a file: the text to write, or pairs of an old and a new text. */
function fileChanges(args: Json): PacketChange[] {
  if (!isJsonObject(args)) return []
  const path = fileIn(args)
  if (path === undefined) return []
  const pairs = [args, ...Object.values(args).flatMap((value) => (Array.isArray(value) ? value : []))]
    .filter(isJsonObject)
    .flatMap(pairIn)
  if (pairs.length > 0) {
    const diffs = pairs.map(([before, after]) => lineDiff(before, after))
    const lines = diffs.flatMap(({ lines: part }) => part)
    const count = (of: 'added' | 'removed') => diffs.reduce((sum, diff) => sum + diff[of], 0)
    const cut = diffs.some((diff) => diff.cut)
    return [{ of: 'file', path, is: 'edited', added: count('added'), removed: count('removed'), lines, cut }]
  }
  const content = Object.entries(args).find(
    ([key, value]) => fieldTypeOf(key) === 'content' && typeof value === 'string',
  )?.[1]
  return typeof content === 'string' ? [{ of: 'file', path, is: 'written', ...lineDiff('', content) }] : []
}

function fileIn(args: JsonObject): string | undefined {
  const files = Object.entries(args).flatMap(([key, value]) =>
    fieldTypeOf(key) === 'file' && typeof value === 'string' ? [value] : [],
  )
  return files.length === 1 ? numberedText(files[0] ?? '') : undefined
}

function pairIn(value: JsonObject): (readonly [string, string])[] {
  const texts = Object.entries(value).filter(([, text]) => typeof text === 'string')
  const find = (words: ReadonlySet<string>) =>
    texts.find(([key]) => fieldTypeOf(key) !== 'file' && splitWords(key).some((word) => words.has(word)))?.[1]
  const [before, after] = [find(OLD), find(NEW)]
  return typeof before === 'string' && typeof after === 'string' && before !== after ? [[before, after]] : []
}
