import type { ShellEffect } from './program.ts'

const SED_PLAIN = new Set('pPdDnNgGhHxl=qQzF{}')

/** What a sed script does: `w` writes files, `e` runs commands. What cannot be parsed is unknown. */
export function sedDoings(script: string): readonly ShellEffect[] {
  const does: ShellEffect[] = []
  let at = 0
  const delimited = (delimiter: string): boolean => {
    for (; at < script.length; at += 1) {
      if (script[at] === '\\') at += 1
      else if (script[at] === delimiter) {
        at += 1
        return true
      }
    }
    return false
  }
  const address = (): boolean => {
    const [digits] = /^(?:\d+(?:~\d+)?|\$|\+\d+|~\d+)/.exec(script.slice(at)) ?? []
    if (digits !== undefined) at += digits.length
    else if (script[at] === '/') {
      at += 1
      if (!delimited('/')) return false
      at += /^[IM]*/.exec(script.slice(at))?.[0].length ?? 0
    }
    return true
  }
  while (at < script.length) {
    at += /^[\s;]*/.exec(script.slice(at))?.[0].length ?? 0
    if (at >= script.length) break
    if (script[at] === '#') {
      at += /^[^\n]*/.exec(script.slice(at))?.[0].length ?? 0
      continue
    }
    if (!address()) return [...does, 'unknown']
    at += /^\s*/.exec(script.slice(at))?.[0].length ?? 0
    if (script[at] === ',') {
      at += 1
      if (!address()) return [...does, 'unknown']
    }
    at += /^[\s!]*/.exec(script.slice(at))?.[0].length ?? 0
    const command = script[at] ?? ''
    at += 1
    if (command === 's' || command === 'y') {
      const delimiter = script[at] ?? ''
      at += 1
      if (delimiter === '' || !delimited(delimiter) || !delimited(delimiter)) return [...does, 'unknown']
      const flags = /^[a-zA-Z0-9]*/.exec(script.slice(at))?.[0] ?? ''
      at += flags.length
      if (flags.includes('e')) does.push('runs')
      if (flags.includes('w')) return [...does, 'writes']
    } else if (command === 'w' || command === 'W') return [...does, 'writes']
    else if (command === 'e') return [...does, 'runs']
    else if (/[aicrRbtT:]/.test(command)) at += /^[^\n;}]*/.exec(script.slice(at))?.[0].length ?? 0
    else if (SED_PLAIN.has(command)) at += /^\d*/.exec(script.slice(at))?.[0].length ?? 0
    else return [...does, 'unknown']
  }
  return does
}

/** What an awk program does besides printing. Strings and patterns are removed first. */
export function awkDoings(script: string): readonly ShellEffect[] {
  const does: ShellEffect[] = []
  if (/\bsystem\s*\(|@(?:load|include)\b|@\w+\s*\(/.test(script)) does.push('runs')
  if (/\bENVIRON\b|\/inet[46]?\//.test(script)) does.push('unknown')
  const bare = withoutQuoted(script)
    .replace(/(^|[\s~(,!&|{;])\/(?:[^/\\\n]|\\.)+\//g, '$1')
    .replaceAll('||', ' ')
  if (bare.includes('|')) does.push('runs')
  if (/\bprintf?\b[^;}\n]*>/.test(bare)) does.push('writes')
  return does
}

/** The quoted strings in code of any language, which it may pass to a shell. */
export function quotedTexts(code: string): readonly string[] {
  const strings = quotedIn(code, '"\'`').map(({ start, end }) => code.slice(start, end))
  // Some languages quote with brackets: `%x(…)`, `q{…}`.
  const bracketed = code.match(/\{[^{}]*\}|\([^()]*\)/g) ?? []
  return [...strings, ...bracketed].slice(0, 50).map((text) => text.slice(1, -1).replace(/\\(.)/g, '$1'))
}

/** `['rm', '-rf', '/']` is a command too. */
export function listedWords(code: string): string {
  return quotedIn(code, '"\'')
    .map(({ start, end }) => code.slice(start + 1, end - 1))
    .join(' ')
}

type Span = { readonly start: number; readonly end: number }

/**
 * Where quoted strings begin and end, in one pass. An unclosed quote opens no string, and neither does any later quote of its kind:
 * otherwise a megabyte of quotes would be searched from each of them.
 */
function quotedIn(code: string, quotes: string): readonly Span[] {
  const found: Span[] = []
  const unclosed = new Set<string>()
  for (let at = 0; at < code.length; at += 1) {
    const quote = code[at] ?? ''
    if (!quotes.includes(quote) || unclosed.has(quote)) continue
    const end = closingOf(code, at)
    if (end === undefined) unclosed.add(quote)
    else {
      found.push({ start: at, end: end + 1 })
      at = end
    }
  }
  return found
}

function closingOf(code: string, start: number): number | undefined {
  const quote = code[start]
  for (let at = start + 1; at < code.length; at += 1) {
    if (code[at] === '\\' && quote !== '`') at += 1
    else if (code[at] === quote) return at
  }
  return undefined
}

function withoutQuoted(script: string): string {
  let rest = 0
  const parts = quotedIn(script, '"').map(({ start, end }) => {
    const before = script.slice(rest, start)
    rest = end
    return `${before}""`
  })
  return parts.join('') + script.slice(rest)
}
