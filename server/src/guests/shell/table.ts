import { BUILTINS, CARRIERS } from './programs/builtins.ts'
import { FILES } from './programs/files.ts'
import { GIT } from './programs/git.ts'
import { NETWORK } from './programs/network.ts'
import { PACKAGES } from './programs/packages.ts'
import { SERVICES } from './programs/services.ts'
import type { ShellProgram } from './program.ts'

export const PROGRAMS: ReadonlyMap<string, ShellProgram> = new Map(
  [FILES, GIT, NETWORK, PACKAGES, SERVICES, BUILTINS, CARRIERS].flatMap((table) => Object.entries(table)),
)

/** Where the system's programs are. The same name anywhere else is another program. */
const SYSTEM = /^(?:\/usr(?:\/local)?|\/opt\/homebrew)?\/s?bin\/([^/]+)$/

/** The name under which the table lists a program; undefined for a path outside the system's folders. */
export function programName(word: string): string | undefined {
  const name = SYSTEM.exec(word)?.[1] ?? (word.includes('/') ? undefined : word)
  // `python3.12`, `gcc-13`, `mkfs.ext4` are the program without its version.
  if (name === undefined || PROGRAMS.has(name)) return name
  const plain = name.replace(/(?:[-.]?\d{1,10}(?:\.\d{1,10}){0,5})$/, '')
  return PROGRAMS.has(plain) ? plain : name.startsWith('mkfs.') ? 'mkfs' : name
}

export const programOf = (name: string): ShellProgram | undefined => PROGRAMS.get(name)
