/** The last word of a field name, in the singular, that means its value is a path. */
const FILE_WORDS = new Set(
  `path file filename filepath pathname directory dir dirname dirpath folder foldername source src destination dest dst cwd
  workdir`.split(/\s+/),
)
const NAMED_THINGS = new Set(['file', 'folder', 'directory', 'dir', 'path'])
/** `logfile`, `savepath`, `basedir`; not `profile`. */
const COMPOUND = /(?<!pro)(?:file|path|dir|directory|folder|filename)$/

/** Fields whose value is text to read or store: a path inside it is not opened. */
const CONTENT_WORDS = new Set(
  `content body text message description comment note summary title subject prompt html markdown md diff patch
  question answer reply reason explanation instruction caption data blob base64 image picture audio xml yaml csv css svg
  string template document payload page article transcript email letter record row`.split(/\s+/),
)

/** Text too, but it may be run. */
const CODE_WORDS = new Set('code snippet program expression macro sql graphql statement'.split(' '))

/** Fields whose value a shell or a program splits into words. */
const COMMAND_WORDS = new Set('command cmd shell script bash argv arg argument option flag exec run'.split(' '))

/** `filePath`, `output_file`, `sourcePaths`, `file_name`, `path2`, `logfile`; not `file_id`, `profile` or `source_language`. */
export function isFileName(name: string): boolean {
  const words = wordsOf(name)
  const last = words.at(-1) ?? ''
  return FILE_WORDS.has(last) || COMPOUND.test(last) || (last === 'name' && NAMED_THINGS.has(words.at(-2) ?? ''))
}

/** What a field name says about its value: `newText`, `old_string` and `commit_message` are content, `textFile` is a file. */
export type FieldType = 'file' | 'content' | 'code' | 'command' | 'other'

const known = new Map<string, FieldType>()
const MOST_KNOWN = 10_000

/** Cached, because few names occur, and they recur with every call. */
export function fieldTypeOf(name: string): FieldType {
  const before = known.get(name)
  if (before !== undefined) return before
  const kind = kindOfWords(name)
  if (known.size < MOST_KNOWN && name.length <= 64) known.set(name, kind)
  return kind
}

function kindOfWords(name: string): FieldType {
  if (isFileName(name)) return 'file'
  const last = wordsOf(name).at(-1) ?? ''
  if (CONTENT_WORDS.has(last)) return 'content'
  if (CODE_WORDS.has(last)) return 'code'
  return COMMAND_WORDS.has(last) ? 'command' : 'other'
}

function wordsOf(name: string): string[] {
  return name
    .slice(-64)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '')
    .map((word) => (word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.replace(/s$/, '')))
}
