import { realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { relative, resolve, isAbsolute } from 'node:path'
import { processOf } from '../kernel/contract/server-settings.ts'
import type { Settings } from './load-config.ts'

/** A tool server's folder that contains the gate's data folder. */
export type ReachedFolder = {
  readonly server: string
  readonly folder: string
  /** A part of its name or command; absent if it is given the folder itself. */
  readonly named?: string
}

/** Servers that work with files, by their command. */
const FILE_SERVER = /file|\bfs\b|\bgit\b|shell|command|terminal|desktop|editor/i

/** In a container or on another machine, the working folder is another one; a mounted folder is among the arguments. */
const ELSEWHERE = /(?:^|[\\/])(?:docker|podman|nerdctl|ssh)(?:\.exe)?$/i

/**
 * Tool servers that have access to a folder with the data folder in it: among their arguments, as a root of their sandbox, or as
 * the working folder of a file server. Their calls are still judged, but a separate folder is safer.
 */
export function serversReachingData({ config, folder, data }: Settings): readonly ReachedFolder[] {
  const inner = realOf(data)
  const holds = (path: string) => {
    const below = relative(realOf(path), inner)
    return !below.startsWith('..') && !isAbsolute(below)
  }
  return Object.entries(config.servers).flatMap(([server, settings]) => {
    const args = settings.command === undefined ? [] : settings.args
    const isElsewhere = ELSEWHERE.test(settings.command ?? '')
    const words = [server, settings.command ?? '', ...args].join(' ')
    const isForFiles = !isElsewhere && FILE_SERVER.test(words)
    const given_cwd = processOf(settings)?.cwd ?? (settings.command === undefined ? undefined : '.')
    const cwd = given_cwd !== undefined && isForFiles ? [given_cwd] : []
    const paths = isElsewhere ? args.flatMap(mountedBy) : args.map(withoutOption)
    const find = (texts: readonly string[]) =>
      texts
        .map((text) => resolve(folder, text.replace(/^~(?=[\\/]|$)/, homedir())))
        .find((path) => isFolder(path) && holds(path))
    const given = find([...rootsIn(settings), ...paths])
    if (given !== undefined) return [{ server, folder: given }]
    const worksIn = find(cwd)
    const [named = ''] = FILE_SERVER.exec(words) ?? []
    return worksIn === undefined ? [] : [{ server, folder: worksIn, named }]
  })
}

type Sandboxed = { readonly command?: unknown; readonly sandbox?: { readonly roots: readonly string[] } | undefined }
/** Those of its sandbox, if this build has one. */
const rootsIn = ({ sandbox }: Sandboxed) => sandbox?.roots ?? []

/** The message about one of them. */
export const reachSays = ({ server, folder, named }: ReachedFolder): string =>
  named === undefined
    ? `the server \`${server}\` is given ${folder}, which contains the gate's data folder`
    : `the server \`${server}\` works in ${folder}, which contains the gate's data folder; what it reads is not known, but its name or command contains \`${named}\``

export const REACH_REMEDY =
  'set `data:` to a folder outside, for example ~/.local/state/sluice, or give the server another folder; see SECURITY.md'

const withoutOption = (arg: string): string => arg.replace(/^--?[\w-]+=/, '')

/** The folder of `-v FOLDER:PATH` or `--mount type=bind,source=FOLDER,…`. */
function mountedBy(arg: string): readonly string[] {
  const text = withoutOption(arg)
  const folder = (/(?:^|,)(?:source|src)=([^,]+)/.exec(text) ?? /^(.[^:]*):[\\/]/.exec(text))?.[1]
  return folder === undefined ? [] : [folder]
}

/** With links followed, as far as it exists. */
export function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
