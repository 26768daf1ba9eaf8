import type { ReadWord } from './read-word.ts'

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
export function searchesHome(name: string, words: readonly ReadWord[]): boolean {
  const isRecursive = ALWAYS.has(name) || (WITH_OPTION.has(name) && words.some(({ text }) => RECURSIVE.test(text)))
  return isRecursive && words.some(({ text }) => HOLDS_SECRETS.test(text))
}
