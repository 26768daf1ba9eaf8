import { kindOf } from '../../kernel/text/field-names.ts'
import { splitWords } from '../../kernel/text/split-words.ts'
import { hasAny } from './vocabulary.ts'

/** What a field whose name could mean a path is in a sentence. */
export type PathRole = 'path' | 'folder' | 'from' | 'target'

const FILE_TOOLS = new Set('file files filesystem fs directory directories dir disk path paths'.split(' '))
const FOLDER = /(?:folder|directory|directories|dir|cwd)s?(?:name|path)?$/
/** `repo_path`, `projectPath`: the path of something that is a folder. */
const FOLDER_THINGS = new Set('repo repository project root base workspace directory folder dir'.split(' '))
const SOURCES = new Set('source sources src'.split(' '))
const TARGETS = new Set('destination destinations dest dst'.split(' '))
const ORDERS = new Set('sort order scroll'.split(' '))
/** `a/b`, `~x`, `.env`, `C:\x`, `report.pdf`; not `Berlin`. */
const LOOKS_LIKE_PATH = /[\\/]|^[~.]|^[a-z]:|\.[a-z][a-z0-9]{0,7}$/i
const LONGEST_PATH = 4_096

/** Whether the tools of this name work on files, so that `source` and `destination` are files. */
export const isAboutFiles = (tool_id: string): boolean => hasAny(splitWords(tool_id), FILE_TOOLS)

/**
 * A field name alone does not make a value a file: a folder may belong to a mailbox, and a destination may be a city. Undefined: it is no
 * place at all.
 */
export function pathRole(field: string, text: string, aboutFiles: boolean): PathRole | undefined {
  if (kindOf(field) !== 'file') return undefined
  const words = splitWords(field)
  const last = words.at(-1) ?? ''
  if (hasAny(words, ORDERS)) return undefined
  const before = words.at(-2) ?? ''
  const isNamed = (last === 'name' && FOLDER.test(before)) || (last === 'path' && FOLDER_THINGS.has(before))
  if (FOLDER.test(last) || isNamed) return 'folder'
  const isSource = SOURCES.has(last)
  if (!isSource && !TARGETS.has(last)) return 'path'
  if (aboutFiles || LOOKS_LIKE_PATH.test(text.slice(0, LONGEST_PATH))) return 'path'
  return isSource ? 'from' : 'target'
}
