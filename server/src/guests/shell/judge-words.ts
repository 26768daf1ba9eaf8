import { CLIENT, GATE, forbiddenIn, isClientCommand, isGateCommand } from './forbidden.ts'
import { type ShellEffect, type ShellProgram, spread } from './program.ts'
import { readOptions, type ShellArguments } from './read-options.ts'
import type { ReadWord } from './read-word.ts'
import type { CommandPlace, ShellReader } from './reader.ts'
import { noteArguments } from './expanded.ts'
import { sensitiveWord } from './sensitive.ts'
import { SPECIALS } from './specials.ts'
import { gitSettings, noteTrees } from './trees.ts'
import { programName, programOf } from './table.ts'

/** Programs that read every file below a folder, always or with an option. */
const ALWAYS = new Set(['rg', 'ag', 'ack'])
const RECURSIVE = /^(?:-[a-zA-Z]*[rR][a-zA-Z]*|--(?:dereference-)?recursive|--directories=recurse)$/
const WITH_OPTION = new Set(['grep', 'egrep', 'fgrep', 'zgrep', 'diff'])

/** Folders that contain people's settings, keys and histories. */
const HOME = String.raw`(?:~[\w.-]*|\$\{?HOME\}?|/root|/(?:home|Users)/[\w.-]+)`
const HOLDS_SECRETS = new RegExp(
  String.raw`^(?:/|/(?:home|Users|etc|var|proc|mnt|media|run)|${HOME}(?:/(?:\.config|\.local(?:/share)?|Library|AppData|snap))?)/*\*?$`,
)

/** Whether a search covers a folder that is likely to contain secrets: `grep -r password ~`. */
function searchesHome(name: string, words: readonly ReadWord[]): boolean {
  const isRecursive = ALWAYS.has(name) || (WITH_OPTION.has(name) && words.some(({ text }) => RECURSIVE.test(text)))
  return isRecursive && words.some(({ text }) => HOLDS_SECRETS.test(text))
}

const VERSION = /^--?(?:version|help)$/
const SHORT_VERSION = /^-[vV]$/
const HAS_SHORT_VERSION = new Set([
  'node',
  'python',
  'python3',
  'ruby',
  'perl',
  'php',
  'java',
  'npm',
  'pnpm',
  'yarn',
  'go',
  'tsc',
  'deno',
  'bun',
  'mvn',
  'gradle',
  'make',
  'gcc',
  'clang',
  'docker',
])

/**
 * What one program does with these words, according to the table. Also called for a command that another one runs.
 * INVARIANT: a nested command adds its effects; nothing makes the result less strict.
 */
export function judgeWords(
  reader: ShellReader,
  words: readonly ReadWord[],
  place: CommandPlace,
): readonly ShellEffect[] {
  const [first, ...rest] = words
  if (first === undefined) return ['reads']
  // `env env env …`: every level reads the rest of the words again.
  if (place.depth > DEEPEST + 1) {
    reader.unknown.add('a command that is too long or too nested to be read')
    return ['unknown']
  }
  if (isGateCommand(words)) reader.forbidden.push(GATE)
  const name = first.literal && (!first.pattern || first.text === '[') ? programName(first.text) : undefined
  const program = name === undefined || reader.functions.has(name) ? undefined : programOf(name)
  if (isClientCommand(words, program === undefined || RUNNERS.has(name ?? ''))) reader.forbidden.push(CLIENT)
  if (name !== undefined && reader.functions.has(name)) {
    notePaths(reader, rest)
    noteArguments(reader, [first, ...rest])
    return ['reads']
  }
  if (name === undefined || program === undefined) {
    reader.unknown.add(
      name === undefined ? 'the name of a program is not written out' : 'a program that the gate does not know',
    )
    probeAll(reader, rest, place)
    notePaths(reader, rest)
    return ['unknown']
  }
  const forbidden = forbiddenIn(name, rest, reader.cwd)
  if (forbidden !== undefined) reader.forbidden.push(forbidden)
  const [only] = rest
  if (rest.length === 1 && only?.literal === true && isVersion(name, only.text)) return ['reads']
  noteTrees(reader, name, rest)
  if (name === 'set') noteArguments(reader, [first, ...rest.filter(({ text }) => !/^[-+]/.test(text))])
  const does = rowDoings(reader, name, program, withoutNull(name, rest), place)
  const settings = name === 'git' && does.some((doing) => doing !== 'reads') ? gitSettings(rest) : undefined
  if (settings !== undefined) reader.written.add(settings)
  if (does.some((doing) => HANDS_ON.has(doing))) probeAll(reader, rest, place)
  if (searchesHome(name, rest)) reader.secrets.add('everything below a home or system folder')
  if (does.includes('fetches') || does.includes('sends')) noteAddresses(reader, rest)
  if (does.includes('fetches') && place.substituted)
    reader.unknown.add('words from the network become part of a command')
  // `sort $(echo -o f)`: a printed option becomes an option.
  if (
    place.substituted &&
    (name === 'echo' || name === 'printf') &&
    rest.some(({ sure }) => /(?:^|\s)-(?![neE]+$)/.test(sure))
  )
    reader.unknown.add('options that are assembled while it runs')
  // Whatever a fetch includes in its request is sent out.
  if (does.includes('fetches') && (rest.some(({ literal }) => !literal) || rest.some(isOddAddress)))
    return [...does, 'sends']
  return does
}

/** Programs that start the package that one of their words names. */
const RUNNERS = new Set('npx pnpx bunx npm pnpm yarn bun deno uvx pipx mise volta fnm'.split(' '))

/** `evil.example/x` without a scheme is an address too, if the program uses the network. */
function noteAddresses(reader: ShellReader, words: readonly ReadWord[]): void {
  for (const { sure } of words) {
    const [address] = /(?:[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s"'<>]+/i.exec(sure) ?? []
    if (address !== undefined) reader.addresses.add(address)
    else if (/^(?:[\w.-]+@)?[\w-]+(?:\.[\w-]+)+(?:[:/]\S*)?$/.test(sure)) reader.addresses.add(`https://${sure}`)
  }
}

const HANDS_ON: ReadonlySet<ShellEffect> = new Set(['unknown', 'runs', 'sends', 'escalates'])

const isVersion = (name: string, text: string) =>
  VERSION.test(text) || (HAS_SHORT_VERSION.has(name) && SHORT_VERSION.test(text))

/** `curl -o /dev/null` writes nothing. */
function withoutNull(name: string, words: readonly ReadWord[]): readonly ReadWord[] {
  const at = name === 'curl' ? words.findIndex(({ text }) => text === '-o' || text === '--output') : -1
  return at >= 0 && words[at + 1]?.text === '/dev/null' ? [...words.slice(0, at), ...words.slice(at + 2)] : words
}

const isOddAddress = ({ text }: ReadWord) =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && !/^(?:https?|s3|gs):\/\//i.test(text)

function rowDoings(
  reader: ShellReader,
  name: string,
  program: ShellProgram,
  words: readonly ReadWord[],
  place: CommandPlace,
): readonly ShellEffect[] {
  if (program.special !== undefined) {
    const found = SPECIALS[program.special]({ reader, name, program, words, place, judgeWords })
    if (found !== undefined) return found
  }
  return plainDoings(reader, name, program, words, place)
}

function plainDoings(
  reader: ShellReader,
  name: string,
  program: ShellProgram,
  words: readonly ReadWord[],
  place: CommandPlace,
): readonly ShellEffect[] {
  const carries = program.carries
  const found = readOptions(program, words, program.subcommands !== undefined || carries !== undefined)
  for (const { value } of found.options) if (value !== undefined) notePaths(reader, [value])
  if (program.subcommands !== undefined) return subcommandDoings(reader, name, program, found, words, place)
  if (carries !== undefined) return [...found.own, ...found.added, ...carried(reader, name, program, found, place)]
  const isText = place.substituted ? 0 : (program.text ?? 0)
  notePaths(reader, found.operands.slice(isText))
  return [...found.own, ...found.added]
}

function subcommandDoings(
  reader: ShellReader,
  name: string,
  program: ShellProgram,
  found: ShellArguments,
  words: readonly ReadWord[],
  place: CommandPlace,
): readonly ShellEffect[] {
  const [sub] = found.operands
  if (sub === undefined) return [...bareDoings(program, found), ...found.added]
  if (!sub.literal || sub.pattern) {
    reader.unknown.add('what a program is told to do is not written out')
    return ['unknown', program.does, ...found.added]
  }
  const row = spread(program.subcommands).get(sub.text)
  const rest = words.slice(found.first + 1)
  if (row === undefined) {
    notePaths(reader, rest)
    return [...found.own, ...found.added]
  }
  const below = typeof row === 'string' ? { does: row } : row
  return [...found.added, ...rowDoings(reader, `${name} ${sub.text}`, below, rest, place)]
}

/**
 * Without a subcommand most programs print their help. With an option that the row does not list they may do anything: `pacman
 * -Syu`.
 */
function bareDoings(program: ShellProgram, { options }: ShellArguments): readonly ShellEffect[] {
  const known = new Set(
    [program.valued ?? '', program.plain ?? '', ...spread(program.options).keys()].join(' ').split(' '),
  )
  const isOdd = options.some(({ name }) => !known.has(name) && !ASKS_FOR_HELP.test(name))
  const bare = program.bare ?? 'reads'
  return isOdd ? [bare, program.does] : [bare]
}

const ASKS_FOR_HELP = /^(?:-[hvV]|--?(?:help|version|info|list|no-color|quiet|verbose|json))$/

function carried(
  reader: ShellReader,
  name: string,
  program: ShellProgram,
  found: ShellArguments,
  place: CommandPlace,
): readonly ShellEffect[] {
  if (place.depth > DEEPEST) return ['unknown']
  const below = { ...place, depth: place.depth + 1 }
  if (program.carries === 'code') {
    if (found.operands.length === 0) return []
    if (found.operands.some(({ literal }) => !literal)) reader.unknown.add('code that is assembled while it runs')
    // The name of an alias and the signals of a trap are not code, but parsing them as code is harmless.
    const texts =
      name === 'alias'
        ? found.operands.map(({ text }) => text.replace(/^[^=]*=/, ''))
        : [found.operands.map(({ text }) => text).join(' ')]
    for (const text of name === 'trap' ? [found.operands[0]?.text ?? ''] : texts) reader.code(text, below)
    return []
  }
  if (name === 'command' && found.options.some((option) => /^-[vV]$/.test(option.name))) return []
  const skip = typeof program.carries === 'object' ? program.carries.after : 0
  return judgeWords(reader, found.operands.slice(skip), below)
}

export const DEEPEST = 12

/** Collects possible paths for a later check, and reports names that suggest secrets. */
export function notePaths(reader: ShellReader, words: readonly ReadWord[]): void {
  for (const word of words) {
    const kind = sensitiveWord(word)
    if (kind !== undefined) reader.secrets.add(kind)
    if (word.text.length <= 4096)
      for (const piece of [word.text, ...word.text.split(/[=:,]/).slice(1)]) if (piece !== '') reader.paths.add(piece)
  }
}

/** How many words are tried as the start of a command that consists of all words after them. */
const MOST_PROBED = 400

/** A program that starts others may have a command among its arguments, as words or as one text. */
function probeAll(reader: ShellReader, words: readonly ReadWord[], place: CommandPlace): void {
  if (place.depth > DEEPEST) return
  const below = { ...place, depth: place.depth + 1 }
  for (const text of place.input?.texts ?? []) for (const code of codesIn(text)) reader.probe(code, below)
  if (words.length > MOST_PROBED) reader.unknown.add('a command with more words than the gate checks')
  const probed = words.slice(0, MOST_PROBED)
  for (const [at, { text }] of probed.entries()) {
    for (const code of codesIn(text)) reader.probe(code, below)
    const name = programName(text)
    const forbidden =
      name === undefined || text.startsWith('-') ? undefined : forbiddenIn(name, probed.slice(at + 1), reader.cwd)
    if (forbidden !== undefined && programOf(name ?? '') !== undefined) reader.forbidden.push(forbidden)
  }
}

/** A text that may be a command, and the part after a setting's name, an editor's `:!` or the times of a cron job. */
function codesIn(text: string): readonly string[] {
  if (!/\s/.test(text)) return []
  const behind = [...text.slice(0, 200).matchAll(/=/g)].slice(0, 3).map(({ index }) => text.slice(index + 1))
  const lines = text.split('\n').slice(0, 50)
  const jobs = lines.flatMap((line) => /^\s*(?:@\w+|(?:[\d*,/-]+\s+){4}[\w*,/-]+)\s+(.+)$/.exec(line)?.[1] ?? [])
  const escapes = lines.flatMap((line) => /^\s*(?:[:+]+\s*)?!(.+)$/.exec(line)?.[1]?.replace(/^!+/, '') ?? [])
  return [text, ...behind, ...jobs, ...escapes]
}
