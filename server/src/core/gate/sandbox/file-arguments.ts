import { INPUTS_KEY } from '../../../contract/asks.ts'
import { isJsonObject, type Json } from '../../../contract/json.ts'
import { childrenOf, textLeaves } from '../text-leaves.ts'

/** An argument that names a file, as far as anybody can tell. */
export type FileArgument = { readonly path: readonly string[]; readonly text: string }

/** The last word of a field's name, in the singular, that says its value is a place in the file system. */
const FILE_WORDS = new Set(
  `path file filename filepath pathname directory dir dirname dirpath folder foldername source src destination dest dst cwd
  workdir`.split(/\s+/),
)
const NAMED_THINGS = new Set(['file', 'folder', 'directory', 'dir', 'path'])

/**
 * The arguments that are paths: those the operator declared, or else those whose name or value says so. What is answered to a
 * tool's questions nobody could declare.
 */
export function fileArguments(args: Json, declared: readonly string[] | undefined): FileArgument[] {
  if (declared === undefined) return recognised(args)
  return [...declared.flatMap((pointer) => argumentsAt(args, pointer)), ...recognised(inputsOf(args), [INPUTS_KEY])]
}

const inputsOf = (args: Json): Json => (isJsonObject(args) ? (args[INPUTS_KEY] ?? null) : null)

function argumentsAt(args: Json, pointer: string): FileArgument[] {
  let found: { value: Json; path: readonly string[] }[] = [{ value: args, path: [] }]
  for (const name of pointer.split('/').slice(1).map(unescape)) {
    found = found.flatMap(({ value, path }) =>
      childrenOf(value)
        .filter(([key]) => name === '*' || key === name)
        .map(([key, child]) => ({ value: child, path: [...path, key] })),
    )
  }
  return found.flatMap(({ value, path }) => textLeaves(value, path).filter(({ is }) => is === 'value'))
}

function recognised(args: Json, at: readonly string[] = []): FileArgument[] {
  return textLeaves(args, at).filter(({ text, path, is }) => {
    if (looksLikePath(text)) return true
    return is === 'value' && isFileName(path.findLast((key) => !/^\d+$/.test(key)) ?? '') && !isOtherAddress(text)
  })
}

/** `filePath`, `output_file`, `sourcePaths`, `file_name`, `path2`; not `file_id`, `profile` or `source_language`. */
export function isFileName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '')
    .map((word) => (word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.replace(/s$/, '')))
  const last = words.at(-1) ?? ''
  return FILE_WORDS.has(last) || (last === 'name' && NAMED_THINGS.has(words.at(-2) ?? ''))
}

const PARENT = /(?:^|[\\/])\.\.(?:[\\/]|$)/
const ENCODED_PARENT = /%(?:25)*2e%(?:25)*2e|\.%(?:25)*2e|%(?:25)*2e\./i

/** Absolute, at home, by way of a parent, or a file's address. Text with line breaks is prose or code. */
export function looksLikePath(text: string): boolean {
  const plain = text.trim().normalize('NFKC')
  if (plain.length > 4096 || /[\r\n]/.test(plain)) return false
  return (
    /^file:/i.test(plain) ||
    /^~(?:[\\/]|$)/.test(plain) ||
    /^[A-Za-z]:[\\/]/.test(plain) ||
    /^\\\\[^\\\s]/.test(plain) ||
    // `// note` and `/* note` open a comment.
    /^\/(?:\/?[^\s/*]|$)/.test(plain) ||
    /^(?:\$\{?HOME\b|\$env:|%USERPROFILE%)/i.test(plain) ||
    PARENT.test(plain) ||
    ENCODED_PARENT.test(plain)
  )
}

/** An address of something else than a file; one that climbs by `..` would still be a path to a careless reader. */
const isOtherAddress = (text: string) =>
  /^\s*(?:[a-z][a-z0-9+.-]+:\/\/|data:[^,]{0,100},)/i.test(text) && !PARENT.test(text)

const unescape = (key: string) => key.replaceAll('~1', '/').replaceAll('~0', '~')
