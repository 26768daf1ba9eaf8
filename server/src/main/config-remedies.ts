import type { YAMLParseError } from 'yaml'
import type { ConfigFault } from '../kernel/contract/read-config.ts'
import { nearest } from '../kernel/text/nearest.ts'
import { keysOf, schemasAt } from './config-schema.ts'
import { GUEST_OF_KEY } from './guest-of-key.ts'

/** What to write instead of a mistake in `sluice.yaml`. */
export function remedyFor({ path, kind }: ConfigFault): string | undefined {
  if (kind === 'unknown_key') return knownInstead(path)
  if (kind === 'wrong_type') return typeInstead(path)
  return undefined
}

/** The names used in the files of MCP clients. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  mcpServers: 'servers',
  mcp_servers: 'servers',
  context_servers: 'servers',
}

function knownInstead(path: readonly PropertyKey[]): string {
  const guest = GUEST_OF_KEY[path.map((key, at) => (isName(path, at) ? '*' : String(key))).join('.')]
  if (guest !== undefined) return `no guest named \`${guest}\` is installed`
  const known = keysOf(schemasAt(path.slice(0, -1)))
  const written = String(path.at(-1))
  const meant = OTHER_WORDS[written] ?? nearest(written, known)
  return meant === undefined ? `the known keys are ${known.join(', ')}` : `did you mean \`${meant}\`?`
}

/** Names of servers and of their tools are the operator's. */
const isName = ([first]: readonly PropertyKey[], at: number): boolean => first === 'servers' && (at === 1 || at === 3)

const WORDS: Readonly<Record<string, string>> = {
  string: 'a string (in quotes, if it looks like another type)',
  number: 'a number',
  integer: 'a whole number',
  boolean: '`true` or `false`',
  array: 'a list: `[a, b]`, or lines that start with `- `',
  object: 'keys below it, or `{ key: value }`',
}

function typeInstead(path: readonly PropertyKey[]): string | undefined {
  const types = new Set(schemasAt(path).map(({ type }) => WORDS[String(type)]))
  types.delete(undefined)
  return types.size === 0 ? undefined : `write ${[...types].join(', or ')}`
}

const YAML_REMEDIES: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'indent with spaces',
  BAD_INDENT: 'indent all keys of a map equally, and close every `[` and `{`',
  DUPLICATE_KEY: 'keep one of the two',
  MISSING_CHAR: 'add the missing quote, bracket or colon',
  UNEXPECTED_TOKEN: 'put strings with YAML characters in quotes',
  MULTILINE_IMPLICIT_KEY: 'put a key and its colon on one line',
  BLOCK_AS_IMPLICIT_KEY: 'put each key on its own line, and strings with `: ` in quotes',
  RESOURCE_EXHAUSTION: 'write the value in full',
  BAD_ALIAS: 'put strings that start with `*` or `&` in quotes',
  BAD_DQ_ESCAPE: 'use single quotes, or write `\\\\` for a backslash',
}

/** A text that is not YAML: the line, what is wrong there, and what to do. */
export function yamlFault({ code, linePos, message }: YAMLParseError): string {
  if (code === 'MULTIPLE_DOCS')
    return `line ${linePos?.[0].line ?? '?'}: a second YAML document starts here, remove the \`---\``
  const says = message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? ''
  return `line ${linePos?.[0].line ?? '?'}: ${says}, ${YAML_REMEDIES[code] ?? 'put strings with `: ` or ` #` in quotes'}`
}
