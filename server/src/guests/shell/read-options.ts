import { spread, type ShellEffect, type ShellProgram } from './program.ts'
import type { ReadWord } from './read-word.ts'

export type Option = { readonly name: string; readonly value?: ReadWord }

/** The arguments of one program, classified by its row of the table. */
export type ShellArguments = {
  readonly options: readonly Option[]
  readonly operands: readonly ReadWord[]
  /** The index of the first operand among the words. */
  readonly first: number
  /** What the program does by itself, and what its options add. */
  readonly own: readonly ShellEffect[]
  readonly added: readonly ShellEffect[]
}

/**
 * Separates options from operands. Long options may be abbreviated, short ones combined: `--out=x`, `-xzf x`. With `stopEarly`,
 * everything after the first operand belongs to a subcommand or a nested command.
 */
export function readOptions(program: ShellProgram, words: readonly ReadWord[], stopEarly: boolean): ShellArguments {
  const valued = new Set(program.valued?.split(/\s+/) ?? [])
  const adds = spread(program.options)
  const instead = spread(program.instead)
  const plain = program.plain === undefined ? undefined : new Set(program.plain.split(/\s+/))
  const names = new Set([...instead.keys()].map((key) => key.replace(/=.*$/, '')))
  const isKnown = (name: string) => valued.has(name) || adds.has(name) || names.has(name) || plain?.has(name) === true
  const options: Option[] = []
  const operands: ReadWord[] = []
  const does: ShellEffect[] = []
  let first = words.length
  let at = 0
  const take = (name: string, attached: ReadWord | undefined) => {
    if (adds.has(name)) does.push(adds.get(name) ?? 'unknown')
    else if (plain !== undefined && !isKnown(name)) does.push('unknown')
    if (attached !== undefined || !valued.has(name))
      options.push(attached === undefined ? { name } : { name, value: attached })
    else {
      const value = words[at + 1]
      at += 1
      options.push(value === undefined ? { name } : { name, value })
    }
  }
  for (; at < words.length; at += 1) {
    const word = words[at]
    if (word === undefined) break
    const { text } = word
    if (text === '--') {
      if (first > at + 1) first = at + 1
      operands.push(...words.slice(at + 1))
      break
    }
    if (!text.startsWith('-') || text === '-') {
      if (operands.length === 0) first = at
      operands.push(word)
      if (stopEarly) {
        operands.push(...words.slice(at + 1))
        break
      }
      continue
    }
    const equals = text.indexOf('=')
    const name = equals > 0 ? text.slice(0, equals) : text
    const value = equals > 0 ? { ...word, text: text.slice(equals + 1) } : undefined
    if (isKnown(name)) take(name, value)
    else if (name.startsWith('--')) {
      for (const [key, doing] of adds) if (name.length > 2 && key.startsWith(name)) does.push(doing)
      if (plain !== undefined) does.push('unknown')
      options.push(value === undefined ? { name } : { name, value })
    } else cluster(word, valued, take)
  }
  return { options, operands, first, own: ownDoings(program, options, operands, instead), added: does }
}

/** `-xzf name`: letter by letter, until one takes the rest as its value. */
function cluster(
  word: ReadWord,
  valued: ReadonlySet<string>,
  take: (name: string, value: ReadWord | undefined) => void,
) {
  for (let letter = 1; letter < word.text.length; letter += 1) {
    const name = `-${word.text[letter] ?? ''}`
    const rest = word.text.slice(letter + 1)
    if (valued.has(name) && rest !== '') {
      take(name, { ...word, text: rest })
      return
    }
    take(name, undefined)
  }
}

function ownDoings(
  { does, more }: ShellProgram,
  options: readonly Option[],
  operands: readonly ReadWord[],
  instead: ReadonlyMap<string, ShellEffect>,
): readonly ShellEffect[] {
  for (const [key, doing] of instead) {
    const [name = '', wanted] = key.split('=')
    const given = options.filter((option) => option.name === name)
    if (given.length > 0 && given.every(({ value }) => wanted === undefined || value?.text === wanted)) return [doing]
  }
  return more !== undefined && operands.length > more.free ? [does, more.does] : [does]
}
