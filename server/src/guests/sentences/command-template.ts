import { grouped } from '../../kernel/contract/framed-text.ts'
import { before, of, values, type SentenceDraft, type Made } from './draft.ts'
import { hostsIn, namesIn } from '../../kernel/text/hosts.ts'
import type { ArgumentLeaf } from '../../kernel/text/argument-roles.ts'
import { joined, name, printed, text } from './pieces.ts'

/** A shorter command is shown whole. */
const MOST_OF_A_COMMAND = 300
const PATH_IN_TEXT = /(?:~|\.{1,2})?\/[^\s"'`|;&<>()]+/g

/** The command itself is the sentence: `Run npm test in /work/app`. */
export function runCommand(draft: SentenceDraft): Made {
  const commands = of(draft, 'command')
  const hosts = of(draft, 'host')
  const folders = of(draft, 'folder')
  const parts = commandIn(draft)
  const [first] = parts
  const others = commands.filter((leaf) => !parts.includes(leaf))
  const whole = Array.from(commandText(parts))
  const isLong = whole.length > MOST_OF_A_COMMAND
  const rest = isLong ? whole.join('') : ''
  const hidden = [
    ...new Set([...hostsIn(rest), ...namesIn(rest), ...[...rest.matchAll(PATH_IN_TEXT)].map(([path]) => path)]),
  ]
  const isOutside = parts.some((leaf) => draft.print.isFromOutside(leaf))
  const at = first?.at ?? ''
  return {
    pieces: [
      text('Run '),
      { is: isOutside ? 'outside' : 'value', text: cutCommand(whole), at },
      ...(isLong ? [text(` (${grouped(whole.length)} characters)`)] : []),
      ...before(' on ', values(draft, hosts)),
      ...before(' in ', values(draft, folders)),
      ...others.flatMap((leaf) => [
        text(', '),
        name(leaf.field),
        text(' '),
        draft.print.value(leaf, cutCommand(Array.from(leaf.text))),
      ]),
      ...before('. It names ', joined(hidden.map((word) => ({ is: 'value', text: printed(word), at })))),
    ],
    used: [...parts, ...commands, ...hosts, ...folders],
    button: 'Approve and run',
  }
}

/** The command of a call: what the tool declares to be one, else the first argument that is named like one. A list of words is one command. */
export function commandIn(draft: Pick<SentenceDraft, 'leaves' | 'shell'>): readonly ArgumentLeaf[] {
  const { leaves, shell } = draft
  const declared = leaves.filter(({ at }) => shell !== undefined && (at === shell || at.startsWith(`${shell}/`)))
  if (declared.length > 0) return declared
  const commands = leaves.filter(({ role }) => role === 'command')
  const first = commands.find(({ field }) => !SHELLS.has(field.toLowerCase())) ?? commands[0]
  return commands.filter(({ field }) => field === first?.field)
}

const PLAIN_WORD = /^[\w@%+=:,./~*?{}[\]-]+$/

/** One word is a line for a shell; several are its arguments, so that each that would be read as more than one is in quotation marks. */
export function commandText(parts: readonly ArgumentLeaf[]): string {
  if (parts.length === 1) return parts[0]?.text ?? ''
  return parts.map(({ text: word }) => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ')
}

/** Fields that name the program which reads the command. */
const SHELLS: ReadonlySet<string> = new Set(['shell', 'bash', 'program', 'exec'])

const cutCommand = (letters: readonly string[]): string =>
  letters.length > MOST_OF_A_COMMAND
    ? `${printed(letters.slice(0, MOST_OF_A_COMMAND).join(''))}…`
    : printed(letters.join(''))
