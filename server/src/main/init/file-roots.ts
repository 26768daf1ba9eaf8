import type { Entry } from './read-entry.ts'

/** Packages and programs that serve files, by the usual names. */
const FILE_SERVER = /file-?system|\bmcp-?(?:server-?)?(?:files?|fs)\b|\b(?:files?|fs)-?(?:server|mcp)\b/i
/** In a container, paths differ from those on this machine. */
const ELSEWHERE = /^(?:docker|podman|nerdctl|wsl|ssh)(?:\.exe)?$/i
const FOLDER = /^(?:[\\/~]|\.{1,2}(?:[\\/]|$)|[A-Za-z]:[\\/])/

/** The folders that a file server is started with, which are those its calls may access. */
export function fileRoots({ command, args = [] }: Entry): readonly string[] {
  if (command === undefined || ELSEWHERE.test(command.split(/[\\/]/).at(-1) ?? '')) return []
  const at = args.findIndex((arg) => FILE_SERVER.test(arg))
  if (at < 0 && !FILE_SERVER.test(command)) return []
  const rest = args.slice(at + 1).map((arg) => arg.replace(/^--?[\w-]+=/, ''))
  return [...new Set(rest.filter((arg) => FOLDER.test(arg)))]
}
