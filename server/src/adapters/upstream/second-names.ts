import { readdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { NamedPlaces } from '../../kernel/ports/files.ts'

/** How many folders are searched, from the file and from the working folder upwards. */
const MOST_FOLDERS = 24

/**
 * Which of these places are the same file on disk (hard links): in the folders that the path is in or may start at, those
 * above them, and the home folder. Only a file with more than one name is looked up.
 */
export async function secondNames(
  path: string,
  among: NamedPlaces,
  bases: readonly string[],
): Promise<readonly string[]> {
  const one = await stat(path).catch(() => undefined)
  if (one?.isFile() !== true || one.nlink < 2) return []
  const folders = [...new Set([...withAbove(dirname(path)), ...bases.flatMap(withAbove)])].slice(0, MOST_FOLDERS)
  const isSame = async (name: string): Promise<boolean> => {
    const other = await stat(name).catch(() => undefined)
    return other?.ino === one.ino && other.dev === one.dev
  }
  const namesIn = async (folder: string): Promise<readonly string[]> => {
    const trees = among.trees.map(async (tree) => {
      const entries = await readdir(join(folder, tree)).catch(() => [])
      return entries.map((entry) => join(folder, tree, entry))
    })
    const names = [...among.files.map((file) => join(folder, file)), ...(await Promise.all(trees)).flat()]
    const found = await Promise.all(names.map(async (name) => ((await isSame(name)) ? [name] : [])))
    return found.flat()
  }
  return (await Promise.all([...new Set([...folders, homedir()])].map(namesIn))).flat()
}

function withAbove(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...withAbove(parent)]
}
