import { lstat, readlink } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, parse, resolve, sep } from 'node:path'
import type { FileFacts } from '../commands/ports.ts'
import type { Config } from '../contract/config.ts'
import { secretOf } from './server-config.ts'

/** As many as Linux follows in one path. */
const MOST_LINKS = 40
/** Nothing is there, so nothing can be followed; the name itself says where it would come to be. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'])

/**
 * Where paths lead on this machine. Walks name by name instead of asking for the real path: a link whose target does not
 * exist yet leads out of a folder all the same, and whoever writes through it creates the target.
 */
export function localFiles(servers: Config['servers'], folder: string): FileFacts {
  const settingsOf = (server: string) => (Object.hasOwn(servers, server) ? servers[server] : undefined)
  /** Only what is started here has a working folder and a home that we know of. */
  const childOf = (server: string) => {
    const settings = settingsOf(server)
    return settings?.command === undefined && settings?.commands === undefined ? undefined : settings
  }
  const baseOf = (server: string) => {
    const settings = settingsOf(server)
    return resolve(folder, atHome(settings?.sandbox?.base ?? childOf(server)?.cwd ?? '.', homedir()))
  }
  return {
    windows: sep === '\\',
    home: (server) => secretOf(childOf(server)?.env['HOME'] ?? '', folder, process.env) || homedir(),
    configured: (path) => follow(resolve(folder, atHome(path, homedir()))),
    // Joined as text: cleaning `link/../x` up would skip the link that a tool follows.
    argument: (server, path) => follow(isAbsolute(path) ? path : `${baseOf(server)}${sep}${path}`),
  }
}

const atHome = (path: string, home: string) => (/^~(?:[\\/]|$)/.test(path) ? `${home}${path.slice(1)}` : path)

async function follow(path: string): Promise<string | undefined> {
  let at = parse(path).root
  const ahead = namesOf(path).toReversed()
  let links = 0
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    if (name === '.') continue
    if (name === '..') {
      at = dirname(at)
      continue
    }
    const next = join(at, name)
    const target = await linkAt(next)
    if (target === 'unknown') return undefined
    if (target === 'none') {
      at = next
      continue
    }
    links += 1
    if (links > MOST_LINKS) return undefined
    if (isAbsolute(target.to)) at = parse(target.to).root
    ahead.push(...namesOf(target.to).toReversed())
  }
  return at
}

/** Where a link points; `none` for what is no link, or is not there. */
async function linkAt(path: string): Promise<{ readonly to: string } | 'none' | 'unknown'> {
  try {
    return (await lstat(path)).isSymbolicLink() ? { to: await readlink(path) } : 'none'
  } catch (error) {
    return error instanceof Error && 'code' in error && ABSENT.has(String(error.code)) ? 'none' : 'unknown'
  }
}

function namesOf(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(sep === '\\' ? /[\\/]/ : '/')
    .filter((name) => name !== '')
}
