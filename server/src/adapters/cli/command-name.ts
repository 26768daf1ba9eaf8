import { existsSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'

export type Invocation = {
  /** The launcher's own file. */
  readonly launcher: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * How the user of this terminal can start `sluice`, so that hints print a command that works there. Never by the name of a package:
 * pasted in another folder, `npx` would install whatever has that name.
 */
export function commandName({ launcher, cwd, env }: Invocation): string {
  const own = realOf(launcher)
  const isOwn = (file: string) => existsSync(file) && realOf(file) === own
  const folders = (env['PATH'] ?? '').split(delimiter)
  // npx and npm scripts add folders to PATH only while they run.
  if (folders.some((folder) => !isNpmFolder(folder) && isOwn(join(folder, 'sluice')))) return 'sluice'
  const below = relative(cwd, launcher)
  const file = installedNear(cwd, isOwn) ?? (below.startsWith('..') ? launcher : join('.', below))
  return /[^\w./@+-]/.test(file) ? `'${file.replaceAll("'", String.raw`'\''`)}'` : file
}

const isNpmFolder = (folder: string) => folder.includes('node_modules') || folder.includes('_npx')

/** The launcher of a checkout or an installation that this folder is in, relative to it. */
function installedNear(cwd: string, isOwn: (file: string) => boolean, folder = cwd): string | undefined {
  const found = ['bin/sluice', 'node_modules/.bin/sluice'].map((name) => join(folder, name)).find(isOwn)
  if (found !== undefined) return relative(cwd, found)
  return dirname(folder) === folder ? undefined : installedNear(cwd, isOwn, dirname(folder))
}

function realOf(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

/** Options that select the gate. Keys are left out, because hints end up in logs and screenshots. */
export type GateOptionWords = {
  readonly config?: string
  readonly data?: string
  readonly url?: string
}

/** The command with the options that select the same gate: `bin/sluice --config other.yaml`. */
export function commandFor(name: string, options: GateOptionWords): string {
  const words = (['config', 'data', 'url'] as const).flatMap((option) => {
    const value = options[option]
    return value === undefined ? [] : [`--${option} ${shellWord(value)}`]
  })
  return [name, ...words].join(' ')
}

const shellWord = (text: string): string =>
  /^[\w./:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Replaces `sluice` in hints with a command that works here. */
export function withCommand(text: string, command: string, verbs: ReadonlySet<string>): string {
  return command === 'sluice'
    ? text
    : text.replaceAll(/(?<![\w/.-])sluice(?= ([a-z][a-z-]*))/g, (word: string, verb: string) =>
        verbs.has(verb) ? command : word,
      )
}
