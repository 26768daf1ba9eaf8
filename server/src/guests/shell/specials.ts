import { noteArguments, noteValue } from './expanded.ts'
import type { ShellEffect, ShellProgram, Special } from './program.ts'
import { readOptions } from './read-options.ts'
import { UNKNOWN_WORD, literalWord, quotedWord, type ReadWord } from './read-word.ts'
import type { JudgeWords, CommandPlace, ShellReader } from './reader.ts'
import { awkDoings, listedWords, quotedTexts, sedDoings } from './scripts.ts'
import { isSecretVariable, isSteering, sensitiveWord } from './sensitive.ts'

type SpecialInput = {
  readonly reader: ShellReader
  readonly name: string
  readonly program: ShellProgram
  readonly words: readonly ReadWord[]
  readonly place: CommandPlace
  readonly judgeWords: JudgeWords
}

/** Programs whose arguments a table cannot describe. Undefined: the row is enough. */
export const SPECIALS: Readonly<Record<Special, (input: SpecialInput) => readonly ShellEffect[] | undefined>> = {
  awk,
  env,
  find,
  git,
  interpreter,
  npx,
  pager,
  sed,
  shell,
  tar,
  variables,
  xargs,
}

const deeper = (place: CommandPlace): CommandPlace => ({ ...place, depth: place.depth + 1 })

function paths(reader: ShellReader, words: readonly ReadWord[]): void {
  for (const word of words) {
    const kind = sensitiveWord(word)
    if (kind !== undefined) reader.secrets.add(kind)
    reader.paths.add(word.text)
  }
}

function find({ reader, words, place, judgeWords }: SpecialInput): readonly ShellEffect[] {
  const does: ShellEffect[] = ['reads']
  const first = words.findIndex(({ text }) => /^[-(!]/.test(text) && !/^-[HLPO]/.test(text))
  paths(reader, first < 0 ? words : words.slice(0, first))
  for (let at = Math.max(first, 0); at < words.length; at += 1) {
    const word = words[at]
    const text = word?.text ?? ''
    if (
      word?.literal === false &&
      !/^-(?:i?name|i?path|newer|regex)/.test(words[at - 1]?.text ?? '') &&
      text.startsWith('$')
    )
      does.push('unknown')
    if (text === '-delete') does.push('destroys')
    if (/^-f(?:print|ls)/.test(text)) does.push('writes')
    if (/^-(?:exec|ok)(?:dir)?$/.test(text)) {
      const end = words.findIndex(({ text: one }, index) => index > at && (one === ';' || one === '+'))
      const inner = words.slice(at + 1, end < 0 ? undefined : end)
      does.push(
        ...judgeWords(
          reader,
          inner.map((one) => (one.text.includes('{}') ? { ...one, literal: false } : one)),
          deeper(place),
        ),
      )
      at = end < 0 ? words.length : end
    }
    if (/^-i?(?:name|path)$/.test(text)) paths(reader, words.slice(at + 1, at + 2))
  }
  return does
}

function xargs({ reader, words, place, judgeWords }: SpecialInput): readonly ShellEffect[] {
  const row = {
    does: 'reads',
    valued: '-I -n -P -L -d -s -a -E --max-args --max-procs --max-lines --delimiter --replace --arg-file --max-chars',
  } as const
  const { operands, options } = readOptions(row, words, true)
  for (const { value } of options) if (value !== undefined) paths(reader, [value])
  const { input } = place
  const does: ShellEffect[] = []
  if (input?.decoded === true) {
    reader.unknown.add('arguments that are decoded while it runs')
    does.push('unknown')
  }
  // It removes quotes and backslashes, so that `"-o"` becomes an option.
  if (input?.texts.some((text) => /["'\\]/.test(text)) === true) {
    reader.unknown.add('arguments that are quoted again')
    does.push('unknown')
  }
  paths(reader, (input?.texts ?? []).flatMap((text) => text.split(/\s+/)).map(literalWord))
  if (operands.length === 0) return [...does, 'reads']
  const given = (input?.texts ?? []).flatMap((text) => text.trim().split(/\s+/)).filter((text) => text !== '')
  const rest = given.length > 0 && given.length < 200 ? given.map(literalWord) : [UNKNOWN_WORD]
  const below = { ...deeper(place), input: undefined }
  // `xargs sh -c`: its input is code, and a whole line of it may be one word.
  if (CODE_OPTION.test(operands.at(-1)?.text ?? '')) {
    reader.unknown.add('code that is assembled while it runs')
    for (const text of input?.texts ?? [])
      does.push(...judgeWords(reader, [...operands, literalWord(text.trim())], below))
  }
  return [...does, ...judgeWords(reader, [...operands, ...rest, UNKNOWN_WORD], below)]
}

function env({ reader, name, words, place, judgeWords }: SpecialInput): readonly ShellEffect[] {
  const row = {
    does: 'reads',
    valued: '-u -C -S --unset --chdir --split-string',
    options: { '-S --split-string': 'reads' },
  } as const
  const { operands, options } = readOptions(row, words, true)
  const split = options.find((option) => option.name === '-S' || option.name === '--split-string')
  if (name === 'printenv') {
    if (operands.length === 0 || operands.some(({ text }) => isSecretVariable(text)))
      reader.secrets.add('the environment, where keys are kept')
    return ['reads']
  }
  const does: ShellEffect[] = []
  const from = operands.findIndex(({ text }) => !/^\w+=/.test(text))
  for (const { text, literal } of from < 0 ? operands : operands.slice(0, from)) {
    const [variable = '', value = ''] = text.split(/=(.*)/s)
    if (isSteering(variable, value) || (!literal && isSteering(variable, ''))) does.push('runs')
  }
  if (split?.value !== undefined) {
    // Its escapes (`\_`) and variables differ from those of a shell.
    if (!split.value.literal || /[\\$]/.test(split.value.text)) reader.unknown.add('words that are split by `env -S`')
    const words = operands.map(({ text, literal }) => (literal ? quotedWord(text) : '"$unknown"'))
    reader.code([split.value.text, ...words].join(' '), deeper(place))
  }
  const rest = from < 0 ? [] : operands.slice(from)
  if (rest.length === 0 && split === undefined) reader.secrets.add('the environment, where keys are kept')
  return [...does, ...judgeWords(reader, rest, deeper(place))]
}

/** `sh -c CODE`, `su -c CODE`, `sh FILE`, or code on standard input. */
function shell({ reader, name, program, words, place }: SpecialInput): readonly ShellEffect[] {
  const below = deeper(place)
  const isSu = program.does === 'escalates'
  const flag = words.findIndex(({ text }) => /^-[a-zA-Z]*c$/.test(text) || text === '--command')
  const glued = words.find(({ text }) => text.startsWith('--command='))
  const base: readonly ShellEffect[] = isSu ? ['escalates'] : []
  if (flag >= 0 || glued !== undefined) {
    const after = words.slice(flag + 1)
    const code =
      glued === undefined
        ? after.find(({ text }) => isSu || !/^[-+]/.test(text))
        : { ...glued, text: glued.text.slice(10) }
    if (code === undefined) return [...base, 'unknown']
    if (!code.literal) reader.unknown.add('code that is assembled while it runs')
    if (words.slice(0, Math.max(flag, 0)).some(({ text }) => /^--(?:rcfile|init-file)|^-O$/.test(text)))
      return [...base, 'runs']
    if (name === 'fish' || name === 'csh' || name === 'tcsh') reader.unknown.add('code for another shell')
    noteArguments(reader, after.slice(after.indexOf(code) + 1))
    reader.code(code.text, { ...below, input: place.input })
    return base
  }
  const operand = words.find(({ text }) => !/^[-+]/.test(text))
  if (operand !== undefined && words.some(({ text }) => text === '-n') && !isSu) {
    paths(reader, [operand])
    return ['reads']
  }
  if (operand !== undefined) paths(reader, [operand])
  for (const text of place.input?.texts ?? []) reader.code(text, { ...below, input: undefined })
  return [...base, 'runs']
}

/** `less +!command` */
function pager({ words }: SpecialInput): readonly ShellEffect[] | undefined {
  return words.some(({ text }) => text.startsWith('+')) ? ['runs'] : undefined
}

/** Checkers that are installed in most projects. Anything else may be downloaded first. */
const CHECKERS = new Set(['tsc', 'eslint', 'prettier', 'stylelint', 'oxlint', 'biome'])

function npx({ reader, words, place, judgeWords }: SpecialInput): readonly ShellEffect[] {
  const [first] = words
  const isChecker = first?.literal === true && CHECKERS.has(first.text)
  return isChecker ? judgeWords(reader, words, deeper(place)) : ['runs']
}

const NODE_FACTS = /^process\.(?:version|versions(?:\.\w+)?|platform|arch)$/

const CODE_OPTION = /^(?:-[a-zA-Z]*[cerpE]|--eval|--print|--execute|--command|-Command|-EncodedCommand|\/c|eval)$/

/** Code in another language is not parsed, except for strings that it may pass to a shell, to find forbidden commands. */
function interpreter({ reader, name, words, place }: SpecialInput): readonly ShellEffect[] {
  const texts = words.map(({ text }) => text)
  if (name.startsWith('python') && texts[0] === '-m' && texts[1] === 'json.tool' && texts.length <= 3) {
    paths(reader, words.slice(2))
    return ['reads']
  }
  if (name === 'bc' && texts.every((text) => /^-[lqs]+$/.test(text))) return ['reads']
  if (
    (name === 'node' && texts[0] === '--check' && texts.length === 2) ||
    (name === 'php' && texts[0] === '-l' && texts.length === 2)
  )
    return ['reads']
  if (name === 'node' && texts.length === 2 && texts[0] === '-p' && NODE_FACTS.test(texts[1] ?? '')) return ['reads']
  if (
    name === 'sqlite3' &&
    texts.length === 2 &&
    words.every(({ literal }) => literal) &&
    /^\.(?:tables|schema|indexes|databases)(?: \w+)?$/.test(texts[1] ?? '')
  ) {
    paths(reader, words.slice(0, 1))
    return ['reads']
  }
  const codes = texts.filter((_, at) => CODE_OPTION.test(texts[at - 1] ?? '') || /\s|\(/.test(texts[at] ?? ''))
  for (const code of [...codes, ...(place.input?.texts ?? [])]) {
    for (const quoted of [...quotedTexts(code), listedWords(code)]) reader.probe(quoted, deeper(place))
  }
  // What code names, it may change: `python3 -c "open('x', 'w')"`, `perl -pi -e 's/a/b/' x`.
  const isInline = texts.some((text) => CODE_OPTION.test(text)) || place.input !== undefined
  for (const text of isInline ? [...texts, ...codes, ...(place.input?.texts ?? [])] : [])
    for (const named of [text, ...quotedTexts(text)]) reader.written.add(named)
  paths(reader, words)
  return ['runs']
}

function sed({ reader, words }: SpecialInput): readonly ShellEffect[] {
  const row = {
    does: 'reads',
    valued: '-e -f -l --expression --file --line-length',
    options: { '-i --in-place': 'writes', '-f --file': 'runs' },
  } as const
  const { operands, options, added } = readOptions(row, words, false)
  const given = options
    .filter((option) => option.name === '-e' || '--expression'.startsWith(option.name))
    .flatMap(({ value }) => value ?? [])
  const scripts = given.length > 0 ? given : operands.slice(0, 1)
  paths(reader, given.length > 0 ? operands : operands.slice(1))
  const does = scripts.flatMap(({ text, literal }): readonly ShellEffect[] => {
    const found = sedDoings(text)
    if (found.includes('writes'))
      for (const [, file = ''] of [...text.matchAll(/w\s*(?=(\S[^\n]*))/gi)].slice(0, 50))
        reader.written.add(file.trim())
    // A value that contains the delimiter could end the expression and start a command.
    return literal ? found : [...found, 'unknown']
  })
  if (does.includes('unknown')) reader.unknown.add('a sed script that cannot be parsed')
  return ['reads', ...added, ...does]
}

function awk({ reader, words, place }: SpecialInput): readonly ShellEffect[] {
  const row = {
    does: 'reads',
    valued: '-F -v --field-separator --assign',
    options: {
      '-f --file -i --include -l --load -E --exec -D --debug -o --pretty-print -p --profile -d --dump-variables':
        'runs',
    },
  } as const
  const { operands, added } = readOptions(row, words, false)
  const [script, ...rest] = operands
  paths(reader, rest)
  if (script === undefined) return ['reads', ...added]
  const does = awkDoings(script.text)
  for (const quoted of quotedTexts(script.text)) {
    paths(reader, [literalWord(quoted)])
    if (does.length > 0) reader.probe(quoted, deeper(place))
  }
  if (!script.literal) {
    reader.unknown.add('an awk program that is assembled while it runs')
    return ['reads', ...added, ...does, 'unknown']
  }
  return ['reads', ...added, ...does]
}

const QUIET_SETTING =
  /^(?:color\.[\w.]+=\w+|core\.quote[pP]ath=\w+|core\.pager=(?:cat)?|pager\.\w+=(?:cat|false)|log\.\w+=\w+|advice\.\w+=\w+|diff\.(?:renames|algorithm|noprefix)=\w+|safe\.directory=\S+)$/

/** Settings that only change how things are shown are no reason to ask. */
function git(input: SpecialInput): readonly ShellEffect[] | undefined {
  const { words, reader, program, judgeWords, place } = input
  const at = words.findIndex(
    ({ text, literal }, index) => text === '-c' && literal && QUIET_SETTING.test(words[index + 1]?.text ?? ''),
  )
  const sub = words.findIndex(
    ({ text }, index) =>
      !text.startsWith('-') &&
      !/^(?:-C|-c|--git-dir|--work-tree|--namespace|--config-env)$/.test(words[index - 1]?.text ?? ''),
  )
  if (at < 0 || (sub >= 0 && at > sub) || program.special !== 'git') return undefined
  return judgeWords(reader, [literalWord('git'), ...words.slice(0, at), ...words.slice(at + 2)], deeper(place))
}

/** The first options of `tar tf x` have no dash. */
function tar({ reader, words, program }: SpecialInput): readonly ShellEffect[] {
  const [first, ...rest] = words
  const dashed =
    first !== undefined && /^[a-zA-Z]+$/.test(first.text) ? [{ ...first, text: `-${first.text}` }, ...rest] : words
  const { own, added, operands, options } = readOptions(program, dashed, false)
  paths(reader, [...operands, ...options.flatMap(({ value }) => value ?? [])])
  const creates = options.some(
    (option) =>
      ['-x', '-c', '-r', '-u', '-A', '--delete'].includes(option.name) ||
      /^--(?:ext|get|cre|app|upd|cat)/.test(option.name),
  )
  return [...own, ...added, ...(creates ? (['writes'] as const) : [])]
}

/** Variables: some change other commands, and a subscript is code. */
function variables({ reader, name, words, place }: SpecialInput): readonly ShellEffect[] {
  const does: ShellEffect[] = ['reads']
  const brought = [...words.map(({ text }) => text.split(/=(.*)/s)[1] ?? ''), ...(place.input?.texts ?? [])]
  for (const { text } of words)
    for (const line of place.input?.texts ?? [])
      for (const value of [line.trim(), ...line.trim().split(/\s+/).slice(0, 20)]) noteValue(reader, text, value)
  if (brought.some((text) => /(?:^|\s)-/.test(text))) reader.unknown.add('options in a variable')
  for (const { text, literal } of words) {
    const [variable = '', value = ''] = text.split(/=(.*)/s)
    if (isSteering(variable, value)) {
      reader.unknown.add('a variable that changes what other commands do')
      does.push('unknown')
    }
    if (literal && /\$\(|`|\[/.test(text)) {
      reader.unknown.add('code in the name or the value of a variable')
      does.push('unknown')
    }
    if (/^-[a-zA-Z]*C$/.test(text) && /mapfile|readarray/.test(name)) does.push('runs')
    if (/^-[a-zA-Z]*p$/.test(text) && words.length === 1) reader.secrets.add('the environment, where keys are kept')
    paths(reader, [literalWord(value)])
  }
  if (words.length === 0 && /export|declare|typeset/.test(name))
    reader.secrets.add('the environment, where keys are kept')
  return does
}
