import { readFileSync } from 'node:fs'

/** JSON from the command line: the text itself, `@file`, or `-` for stdin. It stays text; the gate reads it. */
export function jsonArgument(text: string): string {
  if (text === '-') return readFileSync(0, 'utf8')
  return text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text
}
