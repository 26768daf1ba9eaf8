import { forEachChild, parse, type Command, type Pipeline, type Redirection, type SyntaxNode } from 'unbash'
import { patchedPaths } from '../../kernel/text/patched-paths.ts'
import { bytesOfBase64, bytesOfHex } from '../../kernel/text/decode.ts'
import { expanded, noteValue } from './expanded.ts'
import { FORK_BOMB, REVERSE_SHELL, isDisk } from './forbidden.ts'
import { DEEPEST, judgeWords, notePaths } from './judge-words.ts'
import type { ShellEffect } from './program.ts'
import { readArgument, readWord, type ReadWord } from './read-word.ts'
import type { ShellInput, CommandPlace, ShellReader } from './reader.ts'
import { isSecretVariable, isSteering } from './sensitive.ts'
import type { ShellPart, ShellReading } from './shell-reading.ts'
import { programName, programOf } from './table.ts'

/** The parser's worst case is quadratic in the nesting; nobody types more than this. */
const LONGEST = 32_768
const MOST_OPENINGS = 500
const MOST_PARTS = 1_000

/**
 * Parses a shell command and says what its parts do. Pure, total and bounded in time. `cwd` is the folder it runs in, if known.
 * INVARIANT: a command that contains another one, in any way, is judged at least as strictly as that one (law in read-shell.test.ts).
 */
export function readShell(command: string, cwd?: string): ShellReading {
  const reader: ShellReader = {
    cwd,
    functions: new Set(),
    parts: [],
    forbidden: [],
    secrets: new Set(),
    unknown: new Set(),
    addresses: new Set(),
    paths: new Set(),
    written: new Set(),
    run: new Set(),
    trees: [],
    folders: [],
    values: new Map(),
    left: MOST_PARTS,
    code: (text, place) => readCode(reader, text, place),
    probe: (text, place) => probe(reader, text, place),
  }
  readCode(reader, command, { depth: 0, substituted: false, input: undefined })
  const { parts, forbidden, secrets, unknown, addresses, paths, values } = reader
  const become = (text: string) => expanded(text, values)
  return {
    parts,
    forbidden: unique(forbidden),
    secrets: [...secrets],
    unknown: [...unknown],
    addresses: [...addresses],
    paths: [...paths],
    written: [...new Set([...reader.written].flatMap(become))],
    run: [...new Set([...reader.run].flatMap(become))],
    trees: reader.trees.flatMap(({ text, use }) => become(text).map((one) => ({ text: one, use }))),
    folders: reader.folders.flatMap(become),
  }
}

const unique = <One extends { readonly rule: string }>(list: readonly One[]): readonly One[] => [
  ...new Map(list.map((one) => [one.rule, one])).values(),
]

function readCode(reader: ShellReader, text: string, place: CommandPlace): void {
  const openings = text.match(/[$<>]\(|\$\{|\{|`|<<|\(\(/g)?.length ?? 0
  if (text.length > LONGEST || openings > MOST_OPENINGS || place.depth > DEEPEST) {
    reader.unknown.add('a command that is too long or too nested to be read')
    return
  }
  // With an invisible or control character, people read another command than the shell does.
  if (/[^\P{Cc}\t\n]|\p{Cf}|\p{Zl}|\p{Zp}/u.test(text)) reader.unknown.add('characters that cannot be seen')
  try {
    visit(reader, parse(text), text, place)
  } catch {
    reader.unknown.add('a command that cannot be parsed')
  }
}

/** Only forbidden commands are collected: the text may be anything. */
function probe(reader: ShellReader, text: string, place: CommandPlace): void {
  if (text.length > LONGEST || reader.left <= 0) return
  const apart: ShellReader = {
    ...reader,
    parts: [],
    secrets: new Set(),
    unknown: new Set(),
    addresses: new Set(),
    paths: new Set(),
    written: new Set(),
    run: new Set(),
    trees: [],
    folders: [],
    values: new Map(),
    left: Math.min(reader.left, 50),
    functions: new Set(),
  }
  const bound: ShellReader = { ...apart, code: (inner, at) => readCode(bound, inner, at), probe: () => undefined }
  readCode(bound, text, place)
}

/** How each of them ends. In a here-document the parser accepts one that does not. */
const CLOSES: Partial<Readonly<Record<SyntaxNode['type'], RegExp>>> = {
  CommandExpansion: /^\$\(.*\)$|^`.*`$/s,
  ArithmeticCommandExpansion: /^\$\(.*\)$|^`.*`$/s,
  ArithmeticExpansion: /^\$\(\(.*\)\)$|^\$\[.*\]$/s,
  ParameterExpansion: /\}$/,
  ProcessSubstitution: /\)$/,
}

function visit(reader: ShellReader, node: SyntaxNode, source: string, place: CommandPlace): void {
  if (reader.left < 0) return
  if ('text' in node && CLOSES[node.type]?.test(node.text) === false)
    reader.unknown.add('a command that cannot be parsed')
  switch (node.type) {
    case 'Script': {
      const own = 'source' in node && typeof node.source === 'string' ? node.source : source
      if ('errors' in node && (node.errors?.length ?? 0) > 0) reader.unknown.add('a command that cannot be parsed')
      collectFunctions(reader, node)
      forEachChild(node, (child) => visit(reader, child, own, place))
      return
    }
    case 'Pipeline':
      if (node.commands.length === 0) reader.unknown.add('a command that cannot be parsed')
      return pipeline(reader, node, source, place)
    case 'Word':
    case 'Literal':
      // Arithmetic that does not end is plain text to the parser and to some shells.
      if ((node.type === 'Literal' || node.parts === undefined) && /(?<!\\)\$\[/.test(node.text))
        reader.unknown.add('a command that cannot be parsed')
      break
    case 'Command':
      simple(reader, node, source, place)
      break
    case 'Function':
      if (isForkBomb(node, node.name.value)) reader.forbidden.push(FORK_BOMB)
      break
    case 'Redirected':
      for (const one of node.redirects) redirect(reader, one, source)
      forEachChild(node, (child) =>
        visit(reader, child, source, { ...place, input: joined(place.input, inputOf(node.redirects)) }),
      )
      return
    case 'CommandExpansion':
    case 'ArithmeticCommandExpansion':
    case 'ProcessSubstitution':
      if (node.script === undefined) reader.unknown.add('a command that cannot be parsed')
      forEachChild(node, (child) => visit(reader, child, source, { ...place, substituted: true }))
      return
    case 'ArithmeticExpansion':
    case 'ArithmeticCommand':
      arithmetic(reader, node.type === 'ArithmeticCommand' ? node.body : node.text.replace(/^\$\(\(|\)\)$/g, ''), place)
      break
    case 'SimpleExpansion':
      if (isSecretVariable(node.text.slice(1))) reader.secrets.add('a variable whose name suggests a secret')
      break
    case 'ParameterExpansion': {
      const { prefix, operation, parameter } = node
      if (isSecretVariable(parameter)) reader.secrets.add('a variable whose name suggests a secret')
      if (prefix === '!' || operation?.type === 'Transform' || operation?.type === 'Unknown')
        reader.unknown.add('a value that is looked up under another name')
      if (operation?.type === 'Default') notePaths(reader, [readWord(operation.operand)])
      break
    }
    case 'For':
    case 'Select':
      for (const word of (node.wordlist ?? []).map(readWord)) {
        if (HIDES_OPTIONS.test(word.sure)) reader.unknown.add('options in a variable')
        notePaths(reader, [word])
        noteValue(reader, node.name.value, word.text)
      }
      break
    case 'Assignment':
      assignment(reader, node)
      break
    case 'ExtendedGlob':
      // In zsh `*(e:cmd:)` runs a command.
      reader.unknown.add('a pattern with brackets')
      break
    case 'HereDoc':
      // A shell warns about one that does not end, or waits for the rest.
      if (node.closing === undefined) reader.unknown.add('a command that cannot be parsed')
      break
    case 'TestUnary':
      if (node.operator === '-v' && !/^\w+$/.test(node.operand.value))
        reader.unknown.add('code in the name or the value of a variable')
      break
    default:
      break
  }
  forEachChild(node, (child) => visit(reader, child, source, place))
}

/** Shells differ in whether `$((rm x))` is arithmetic or a subshell in a substitution. */
function arithmetic(reader: ShellReader, text: string, place: CommandPlace): void {
  const bare = text.replace(/\+\+|--/g, '').replace(/\$\([^()]*\)|\$\{[^{}]*\}|"[^"]*"/g, '1')
  if (
    /[\w)]\s+[\w.~/$(]|[@./~]\w|[^\w\s)]\s*$/.test(bare.replace(/(?<![-+*%/<>=!&|^?:,])[-+*%/<>=!&|^?:,]+\s+/g, '+'))
  ) {
    reader.unknown.add('arithmetic that may be a command')
    reader.probe(text, place)
  }
}

/** A function may be called, from another one, before the place where it is defined. */
function collectFunctions(reader: ShellReader, node: SyntaxNode): void {
  forEachChild(node, (child) => {
    if (child.type === 'Function') reader.functions.add(child.name.value)
    if (child.type === 'Statement' || child.type === 'CompoundList' || child.type === 'AndOr')
      collectFunctions(reader, child)
  })
}

function isForkBomb(node: SyntaxNode, name: string): boolean {
  let found = false
  const look = (child: SyntaxNode, piped: boolean): void => {
    const isPiped = piped || child.type === 'Pipeline' || (child.type === 'Statement' && child.background === true)
    if (child.type === 'Command' && child.name?.value === name && isPiped) found = true
    forEachChild(child, (below) => look(below, isPiped))
  }
  forEachChild(node, (child) => look(child, false))
  return found
}

function assignment(reader: ShellReader, node: Extract<SyntaxNode, { type: 'Assignment' }>): void {
  const words = node.value.type === 'Word' ? [node.value] : node.value.elements
  for (const word of words.map(readWord)) {
    if (isSteering(node.name, word.text)) reader.unknown.add('a variable that changes what other commands do')
    if (word.literal && /\$\(|`/.test(word.text)) reader.unknown.add('code in the name or the value of a variable')
    if (HIDES_OPTIONS.test(word.sure)) reader.unknown.add('options in a variable')
    notePaths(reader, [word])
    noteValue(reader, node.name, word.text, node.append === true)
  }
}

/** A variable may contain options: `x='-o f'; sort $x`. */
const HIDES_OPTIONS = /(?:^|\s)-/

function pipeline(reader: ShellReader, node: Pipeline, source: string, place: CommandPlace): void {
  let input = place.input
  for (const [at, command] of node.commands.entries()) {
    visit(reader, command, source, { ...place, input: at === 0 ? place.input : (input ?? NOTHING) })
    input = joined(input, printedBy(command))
  }
}

const NOTHING: ShellInput = { texts: [], decoded: false }

function joined(one: ShellInput | undefined, other: ShellInput | undefined): ShellInput | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const texts = [...one.texts, ...other.texts]
  // If there are too many texts, the newest are kept. The others count as unknown, like decoded ones.
  return { texts: texts.slice(-MOST_TEXTS), decoded: one.decoded || other.decoded || texts.length > MOST_TEXTS }
}
const MOST_TEXTS = 100

/** The literal texts of a command that may become its output, also decoded. */
function printedBy(node: SyntaxNode): ShellInput {
  const texts: string[] = []
  let decoded = false
  const look = (child: SyntaxNode): void => {
    if (child.type === 'Command') {
      const words = child.args.map(readArgument).map(({ text }) => text)
      texts.push(words.join(' '), ...words, ...(inputOf(child.redirects)?.texts ?? []))
      const program = programOf(programName(child.name?.value ?? '') ?? '')
      if (program?.decodes === true || programName(child.name?.value ?? '') === 'tr') decoded = true
    }
    forEachChild(child, look)
  }
  look(node)
  const said = texts.filter((text) => text !== '')
  return { texts: [...said, ...said.flatMap(decodings)].slice(0, 100), decoded }
}

/** The base64 or hexadecimal decoding of a text, if that is text again. */
function decodings(text: string): string[] {
  const plain = text.trim()
  const found = [
    /^[\w+/-]{8,}={0,2}$/.test(plain) ? bytesOfBase64(plain) : '',
    /^(?:[0-9a-f]{2}){4,}$/i.test(plain) ? bytesOfHex(plain) : '',
    /\\x[0-9a-f]{2}|\\[0-7]{3}/i.test(plain)
      ? plain.replace(/\\x([0-9a-f]{2})|\\0?([0-7]{3})/gi, (_, hex: string | undefined, octal: string | undefined) =>
          String.fromCharCode(hex === undefined ? Number.parseInt(octal ?? '0', 8) : Number.parseInt(hex, 16)),
        )
      : '',
  ]
  return found.filter((one) => one !== '' && /^[\t\n\r -~]+$/.test(one))
}

function inputOf(redirects: readonly Redirection[]): ShellInput | undefined {
  const texts = redirects.flatMap((one) => {
    if (one.type === 'HereDoc') return [one.body.text]
    return one.type === 'HereString' && one.target !== undefined ? [readWord(one.target).text] : []
  })
  return texts.length === 0 ? undefined : { texts: [...texts, ...texts.flatMap(decodings)], decoded: false }
}

/** What a process substitution among the arguments prints: `source <(echo ls)`. */
function substitutedIn(node: Command): ShellInput | undefined {
  let found: ShellInput | undefined
  const look = (child: SyntaxNode): void => {
    if (child.type === 'ProcessSubstitution') found = joined(found, printedBy(child))
    else forEachChild(child, look)
  }
  for (const argument of node.args) look(argument)
  return found
}

function simple(reader: ShellReader, node: Command, source: string, place: CommandPlace): void {
  reader.left -= 1
  if (reader.left < 0) {
    reader.unknown.add('a command with more parts than the gate checks')
    return
  }
  // The parser skips a bracket that begins no function.
  if (node.name !== undefined && /^(?:[ \t]|\\\n)*\(/.test(source.slice(node.name.end)))
    reader.unknown.add('a command that cannot be parsed')
  const does: ShellEffect[] = []
  for (const one of node.redirects) does.push(...redirect(reader, one, source))
  const input = joined(joined(place.input, inputOf(node.redirects)), substitutedIn(node))
  const words = node.name === undefined ? [] : [readWord(node.name), ...node.args.map(readArgument)]
  const done = judgeWords(reader, words, { ...place, input })
  does.push(...done)
  if (done.some((one) => WRITING.has(one))) for (const text of changedBy(words)) reader.written.add(text)
  else if (done.some((one) => RUNNING.has(one))) for (const { text } of words) reader.run.add(text)
  if (words.some(({ text }) => PATCHES.test(text)))
    for (const text of [...words.map((word) => word.text), ...(input?.texts ?? [])])
      for (const path of patchedPaths(text)) reader.written.add(path)
  const program = words[0] === undefined ? 'assignment' : (programName(words[0].text) ?? words[0].text)
  if (does.includes('sends') && node.redirects.some(isSocket) && programOf(program)?.special === 'shell')
    reader.forbidden.push(REVERSE_SHELL)
  if (programOf(program)?.decodes === true && place.substituted)
    reader.unknown.add('text that is decoded while it runs')
  reader.parts.push({ text: source.slice(node.pos, node.end), program, does: [...new Set(does)] } satisfies ShellPart)
}

/** The message of a commit names nothing that changes. */
function changedBy(words: readonly ReadWord[]): readonly string[] {
  const texts = words.map(({ text }) => text)
  if (programName(texts[0] ?? '') !== 'git') return texts
  return texts.filter(
    (text, at) => !/^(?:-[a-zA-Z]*m|--message)$/.test(texts[at - 1] ?? '') && !text.startsWith('--message='),
  )
}

/** `patch`, `apply_patch`, `git apply`, `git am`, also after another program. */
const PATCHES = /^(?:.*\/)?(?:g?patch|apply_?patch|apply|am)$/
const WRITING: ReadonlySet<ShellEffect> = new Set(['writes', 'destroys'])
const RUNNING: ReadonlySet<ShellEffect> = new Set(['runs', 'escalates', 'unknown'])
const isSocket = (one: Redirection) => one.type === 'Redirect' && /^\/dev\/(?:tcp|udp)\//.test(one.target?.value ?? '')
const QUIET = /^(?:\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)|\d+|-|\d+-)$/
const WRITES = new Set(['>', '>>', '>|', '&>', '&>>', '<>', '>&'])

function redirect(reader: ShellReader, one: Redirection, source: string): readonly ShellEffect[] {
  if (one.type !== 'Redirect') return []
  const { target, operator } = one
  if (target === undefined) {
    reader.unknown.add('a redirection without a target')
    return ['unknown']
  }
  const word = readWord(target)
  const found: ShellEffect[] = []
  if (isSocket(one)) found.push('sends')
  else if (WRITES.has(operator) && !(word.literal && QUIET.test(word.text))) {
    found.push('writes')
    notePaths(reader, [word])
    reader.written.add(word.text)
    if (isDisk(word.text)) reader.forbidden.push({ rule: 'shell.disk', says: 'overwrites a disk' })
  } else if (operator === '<') notePaths(reader, [word])
  if (found.length > 0) reader.parts.push({ text: source.slice(one.pos, one.end), program: operator, does: found })
  return found
}
