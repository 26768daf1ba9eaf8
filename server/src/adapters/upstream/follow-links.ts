import { lstat, readlink, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, parse, sep } from 'node:path'
import type { Followed } from '../../kernel/ports/files.ts'

/** As many as Linux follows in one path. */
const MOST_LINKS = 40
/** Nothing exists there, so nothing can be followed; the name itself says where it would be created. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'])

export type FollowLinks = (path: string, from?: string) => Promise<Followed | undefined>
type Step = { readonly to: string } | 'plain' | 'absent' | 'unknown'

/**
 * Where paths lead. Walks name by name instead of using realpath: a link whose target does not exist yet still leads out of a
 * folder, and writing through it creates the target. Results are cached, so an instance is for one decision only.
 */
export function followLinks(): FollowLinks {
  const steps = new Map<string, Promise<Step>>()
  const stepAt = (path: string): Promise<Step> => {
    const known = steps.get(path) ?? linkAt(path)
    steps.set(path, known)
    return known
  }

  async function walk(start: string, path: string): Promise<Followed | undefined> {
    let at = start
    let [links, found, isAbsent] = [0, 0, false]
    const ahead = namesOf(path).toReversed()
    for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
      if (name === '.') continue
      if (name === '..') {
        at = dirname(at)
        isAbsent = false
        continue
      }
      at = join(at, name)
      // Below something that does not exist, nothing exists.
      const step = isAbsent ? 'absent' : await stepAt(at)
      if (step === 'unknown') return undefined
      isAbsent = step === 'absent'
      // Nothing can be followed from here on, so the rest is appended at once: a long path has thousands of names.
      if (isAbsent && !ahead.includes('..')) return { lead: join(at, ...ahead.toReversed()), ...soFar(links, found) }
      if (isAbsent) continue
      found += 1
      if (typeof step !== 'object') continue
      links += 1
      if (links > MOST_LINKS) return undefined
      at = isAbsolute(step.to) ? parse(step.to).root : dirname(at)
      ahead.push(...namesOf(step.to).toReversed())
    }
    return { lead: at, ...soFar(links, found) }
  }

  const soFar = (links: number, found: number) => ({ is_linked: links > 0, is_found: found > 0 })

  const bases = new Map<string, Promise<string | undefined>>()
  /** An existing base is resolved at once, instead of name by name. */
  const leadOf = (from: string): Promise<string | undefined> => {
    const known = bases.get(from) ?? realpath(from).catch(async () => (await walk(parse(from).root, from))?.lead)
    bases.set(from, known)
    return known
  }

  return async (path, from) => {
    if (from === undefined) return (await atOnce(path)) ?? walk(parse(path).root, path)
    const base = await leadOf(from)
    return base === undefined ? undefined : walk(base, path)
  }
}

/** Resolves an existing path in one system call. */
async function atOnce(path: string): Promise<Followed | undefined> {
  const lead = await realpath(path).catch(() => undefined)
  return lead === undefined ? undefined : { lead, is_linked: lead !== path, is_found: true }
}

/** The target of a link, or that it is not a link. */
async function linkAt(path: string): Promise<Step> {
  try {
    return (await lstat(path)).isSymbolicLink() ? { to: await readlink(path) } : 'plain'
  } catch (error) {
    return error instanceof Error && 'code' in error && ABSENT.has(String(error.code)) ? 'absent' : 'unknown'
  }
}

function namesOf(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(sep === '\\' ? /[\\/]/ : '/')
    .filter((name) => name !== '')
}
