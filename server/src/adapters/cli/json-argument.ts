import { readFileSync } from 'node:fs'
import { visibleText } from '../../kernel/contract/visible-text.ts'
import { usageFault } from './usage-fault.ts'

/**
 * JSON from the command line: the text itself, `@file`, or `-` for stdin. It stays text, so that the gate reads what was typed
 * (including duplicate keys and numbers too large for a double). Only text that is not JSON is rejected here, where
 * the mistake can be shown in the typed text.
 */
export function jsonArgument(text: string): string {
  const { from, json } = sourceOf(text)
  const fault = jsonFault(json)
  if (fault === undefined) return json
  throw usageFault([`${from} is not JSON: ${fault.says}`, ...pointedAt(json, fault.at), hintFor(json)].join('\n'))
}

function sourceOf(text: string): { readonly from: string; readonly json: string } {
  if (text !== '-' && !text.startsWith('@')) return { from: 'the argument', json: text }
  if (text === '-') return { from: 'standard input', json: readText('-') }
  const file = text.slice(1)
  return { from: `the file \`${file}\``, json: readText(file) }
}

/** The text of a file, or of stdin for `-`. */
export function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    throw usageFault(`${file === '-' ? 'standard input' : `the file \`${file}\``} cannot be read: ${whyOf(error)}`)
  }
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you do not have permission',
  EAGAIN: 'nothing was piped into it',
}

export function whyOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return WHY[code] ?? message
}

export type JsonFault = { readonly says: string; readonly at: number }

/** Where and why a text is not JSON; undefined if it is JSON. */
export function jsonFault(text: string): JsonFault | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    const position = /at position (\d+)/.exec(message)?.[1]
    const at = position === undefined ? text.trimEnd().length : Number(position)
    return { says: saysOf(text, at), at }
  }
}

const QUOTES = "'`“”‘’"

function saysOf(text: string, at: number): string {
  const char = text[at]
  if (text.trim() === '') return 'it is empty'
  if (char === undefined) return 'it ends too early; a bracket or quote is not closed'
  if (QUOTES.includes(char)) return 'names and strings must be in double quotes'
  if ('}]'.includes(char) && /,\s*$/.test(text.slice(0, at))) return 'there is a comma before the closing bracket'
  if (/[A-Za-z_]/.test(char)) return 'names and strings must be in double quotes'
  return `\`${visibleText(char)}\` is not expected here`
}

const AROUND = 30

/** The line of the text with a mark below the mistake. */
export function pointedAt(text: string, at: number): string[] {
  const begin = text.lastIndexOf('\n', at - 1) + 1
  const end = text.indexOf('\n', at)
  const line = text.slice(begin, end === -1 ? undefined : end)
  const column = at - begin
  const from = Math.max(0, column - AROUND)
  const before = `${from > 0 ? '…' : ''}${visibleText(line.slice(from, column))}`
  const after = visibleText(line.slice(column, column + AROUND))
  const more = column + AROUND < line.length ? '…' : ''
  const number = begin === 0 ? '' : ` (line ${text.slice(0, begin).split('\n').length})`
  return [`  ${before}${after}${more}${number}`, `  ${' '.repeat(before.length)}^`]
}

const hintFor = (text: string): string =>
  text.trim().startsWith('{')
    ? `  write an object such as '{"name":"value"}'`
    : `  write an object such as '{"name":"value"}', in single quotes so that the shell does not change it`
