/** The texts that the command itself assigns to each variable. */
export type Values = Map<string, Set<string>>
type HasValues = { readonly values: Values }

const VARIABLE = /\$(?:(\w+|[@*])|\{(\w+|[@*])(?:\[[^\][]*\])?\})/
/** `${x:-text}` */
const OTHERWISE = /\$\{\w+:?[-=+]([^{}]*)\}/
/** What only the shell knows: other variables, operations on them, and the output of commands. */
const EXPANSION = /\$\([^()]*\)|\$\{[^{}]*\}|`[^`]*`|\$\w+|\$[@*#?!$-]/g
const MOST_VALUES = 50

/** A text that a variable may contain, or may get at its end. */
export function noteValue({ values }: HasValues, name: string, text: string, appended = false): void {
  const known = values.get(name) ?? new Set()
  for (const one of appended ? ['', ...known] : [''])
    if (known.size < MOST_VALUES && text.length <= 4096) known.add(`${one}${text}`)
  values.set(name, known)
}

/** The arguments of a function or of code, from `$0`. */
export function noteArguments(reader: HasValues, words: readonly { readonly text: string }[]): void {
  for (const [at, { text }] of words.slice(0, 10).entries()) noteValue(reader, String(at), text)
  for (const { text } of words.slice(1)) for (const name of ['@', '*']) noteValue(reader, name, text)
}

const MOST = 32
const DEEPEST = 4

/**
 * The texts that a word may become: with each value that the command assigns to its variables, and with a wildcard for what is not
 * known. `$HOME` and the like at the start are kept, because paths are compared by their ends.
 */
export function expanded(text: string, values: Values): readonly string[] {
  if (!/[$`]/.test(text)) return [text]
  let found: readonly string[] = [text]
  for (let depth = 0; depth < DEEPEST; depth += 1) found = found.flatMap((one) => once(one, values)).slice(0, MOST)
  return [...new Set([text, ...found.flatMap((one) => [one, withWildcards(one)])])]
}

function once(text: string, values: Values): readonly string[] {
  const [operation, otherwise = ''] = OTHERWISE.exec(text) ?? []
  if (operation !== undefined) return [text.replace(operation, () => otherwise), text.replace(operation, '*')]
  const [written, plain, braced] = VARIABLE.exec(text) ?? []
  const known = values.get(plain ?? braced ?? '')
  if (written === undefined || known === undefined) return [text]
  return [...known].map((value) => text.replace(written, () => value))
}

/** From the inside out, as far as they are nested. */
function withWildcards(text: string): string {
  let found = text
  for (let depth = 0; depth < DEEPEST; depth += 1) found = found.replace(EXPANSION, '*')
  return found
}
