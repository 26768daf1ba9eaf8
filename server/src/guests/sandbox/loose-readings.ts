import { decodedPath } from '../../kernel/text/path-parts.ts'
import { readingsOf } from '../../kernel/text/readings.ts'
import { unescapeText, percentDecode } from '../../kernel/text/encodings.ts'
import type { Machine } from './path-readings.ts'
import { trimmedBoth, trimmedEnd } from '../../kernel/contract/trimmed.ts'

const LONGEST = 4096
const MOST = 32
const LONGEST_LAYERED = 1024
const MOST_LAYERED = 8

/**
 * Every path that even the least careful program could read a text as: decoded, unquoted, truncated at a line break or NUL, with
 * another user's home taken for ours. Used for places that are off limits, where one reading too many does no harm.
 * INVARIANT: the text itself is among them, unless it is too long for any operating system.
 */
export function looseReadings(text: string, machine: Machine): readonly string[] {
  const readings = new Set<string>()
  const add = (reading: string) => {
    const short = reading.length > LONGEST ? collapsed(reading) : reading
    if (short !== '' && short.length <= LONGEST && readings.size < MOST) readings.add(short)
  }
  for (const whole of decoded(text)) {
    const plain = whole.length > LONGEST ? collapsed(whole) : whole
    if (plain.length > LONGEST * 2) continue
    for (const cut of plainCuts(plain)) {
      add(cut)
      for (const opened of openedForms(cut, machine)) {
        add(opened)
        if (opened.includes('\\')) {
          add(opened.replaceAll('\\', '/'))
          add(opened.replaceAll('\\', ''))
        }
        if (/\/[/.]|[. ](?:\/|$)/.test(opened)) add(collapsed(opened))
      }
    }
  }
  return [...readings]
}

function decoded(text: string): readonly string[] {
  // oxlint-disable-next-line no-control-regex -- what is not plain ASCII may fold into it
  const folded = /[^\x20-\x7e]/.test(text) ? text.normalize('NFKC').replace(/\p{Cf}/gu, '') : text
  if (!/[%\\&=]/.test(folded)) return folded === text ? [text] : [text, folded]
  const once = percentDecode(folded)
  const whole = decodedPath(text) ?? text
  const all = [text, folded, once, percentDecode(once), whole, unescapeText(folded), ...layered(text)]
  return [...new Set(all)]
}

/** Encodings within encodings, escapes of mail and pages. */
const layered = (text: string) => (text.length > LONGEST_LAYERED ? [] : readingsOf(text).texts.slice(0, MOST_LAYERED))

/** As it is, trimmed, without quotes, and truncated at the first character that ends a string in some language. */
function plainCuts(text: string): readonly string[] {
  const trimmed = text.trim()
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what is looked for
  const head = trimmed.split(/[\u0000-\u001f\u007f-\u009f]/).find((part) => part.trim() !== '') ?? ''
  return [...new Set([text, trimmed, head.trim(), trimmedBoth(trimmed, '"\'`')])]
}

function openedForms(text: string, { home, windows }: Machine): readonly string[] {
  const address = /^(?:file:(?:\/\/[^/]*)?|[a-z][a-z0-9+.-]*:(?=\/{3}))(?=[\\/])/i.exec(text)?.[0]
  if (address !== undefined) {
    const path = text.slice(address.length).replace(/[?#].*$/s, '')
    return [path, ...(windows ? [path.replace(/^\/+(?=[A-Za-z]:)/, '')] : [])]
  }
  const relative = /^(?:file:|~\+[\\/])(?![\\/])/i.exec(text)?.[0]
  if (relative !== undefined) return [text, text.slice(relative.length)]
  if (!windows && /^[A-Za-z]:[\\/]/.test(text)) return [text, text.slice(2)]
  const atHome = /^(?:~[^\\/]*|\$\{?HOME\}?|\$env:\w+|%(?!CD%)\w+%)(?=[\\/]|$)/i.exec(text)?.[0]
  if (atHome !== undefined) return [text, `${home}${text.slice(atHome.length)}`]
  const here = /^(?:\$\{?PWD\}?|%CD%)[\\/]+/i.exec(text)?.[0]
  return here === undefined ? [text] : [text, text.slice(here.length)]
}

/** Without empty names, `.`, and the trailing dots and spaces that some file systems drop from a name. */
function collapsed(path: string): string {
  const names = path
    .replace(/\/(?:\.?\/)+/g, '/')
    .split('/')
    .map((name) => (name === '..' ? name : trimmedEnd(name, '. ')))
    .filter((name) => name !== '')
  return `${path.startsWith('/') ? '/' : ''}${names.join('/')}`
}
