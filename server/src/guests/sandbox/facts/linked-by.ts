import { isAnyName, isPattern, nameMatches } from '../../../kernel/text/glob-reach.ts'
import type { DiskLook } from '../../../kernel/ports/files.ts'

/** How many folders are read for one pattern. */
const MOST_FOLDERS = 200

/**
 * Where a pattern leads through links, relative to a folder; undefined if there are too many files. A name with more than wildcards targets
 * what it matches. A name of wildcards alone targets nothing in particular: there a link counts only if the rest of the pattern names
 * something in its target.
 */
export async function linkedBy(
  look: Pick<DiskLook, 'follow' | 'entriesIn'>,
  pattern: string,
  from: string,
): Promise<readonly string[] | undefined> {
  const isRooted = /^[\\/]/.test(pattern)
  const names = pattern.split(/[\\/]+/).filter((name) => name !== '' && name !== '.')
  const leads: string[] = []
  let folders = 0

  const isAfter = async (path: string, name: string, rest: readonly string[]): Promise<boolean> => {
    if (!isAnyName(name)) return true
    const [next] = rest
    if (next === undefined || rest.some(isPattern)) return false
    const target = (await look.follow(path))?.lead
    const behind = target === undefined ? undefined : await look.entriesIn(target)
    return behind?.some((entry) => entry.name === next) === true
  }

  /** False if there is more than the gate checks. */
  const walk = async (folder: string, at: number): Promise<boolean> => {
    const name = names[at]
    if (name === undefined) return true
    const rest = names.slice(at + 1)
    const literal = `${folder}/${name}`
    if (!isPattern(name)) {
      const isLink =
        (await look.entriesIn(folder))?.some((entry) => entry.name === name && entry.is === 'link') === true
      const followed = isLink ? await look.follow([literal, ...rest].join('/')) : undefined
      if (followed !== undefined) leads.push(followed.lead)
      return walk(literal, at + 1)
    }
    const isDeep = name === '**'
    folders += 1
    const entries = folders > MOST_FOLDERS ? undefined : await look.entriesIn(folder)
    if (entries === undefined) return false
    for (const entry of entries) {
      if (!nameMatches(name, entry.name)) continue
      const path = `${folder}/${entry.name}`
      if (entry.is === 'link' && (await isAfter(path, name, rest))) {
        const followed = await look.follow([path, ...rest].join('/'))
        if (followed !== undefined) leads.push(followed.lead)
      }
      if (entry.is !== 'folder') continue
      if (!(await walk(path, at + 1)) || (isDeep && !(await walk(path, at)))) return false
    }
    // `**` also matches no folder at all.
    return isDeep ? walk(folder, at + 1) : true
  }
  return (await walk(isRooted ? '' : from, 0)) ? leads : undefined
}
