import { isJsonObject, type JsonObject } from '../../kernel/contract/json.ts'
import { inForce, type Tool, type ToolEffect } from '../../kernel/contract/tool.ts'
import { splitWords } from '../../kernel/text/split-words.ts'

/**
 * What happens to a tool's arguments. `leaves`: they reach the network or other people. `stays`: they are written on this
 * machine. `reads_here`: they are only looked up on this machine, because the operator says so or the tool looks like a file
 * tool. `unknown`: a tool that reads from an unknown place.
 */
export type DataDestination = 'leaves' | 'stays' | 'reads_here' | 'unknown'

/** How the tool's server is reached, from the operator's configuration. */
export type DataReach = { readonly server: 'remote' | 'local'; readonly files: 'local' | 'unknown' }

const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Field names for a network address. */
const NETWORK_FIELDS = list('url urls uri uris endpoint webhook host hostname domain website href link links')
/** Words in a tool's name or description that mean it uses the network. */
const NETWORK_WORDS = list(`
  http https url urls uri web website webpage internet online browse browser crawl scrape download upload fetch curl wget
  webhook dns whois api endpoint remote cloud publish tweet email mail slack issue issues ticket tickets pull
`)
/** Field names and words for files, which are on the same machine as the server. */
const FILE_FIELDS = list('path paths file files filename filepath dir directory folder cwd root')
const FILE_WORDS = list(
  'file files directory directories folder filesystem disk local workspace grep memory note notes',
)
const LONGEST_DESCRIPTION = 600

export function dataDestination(
  tool: Pick<Tool, 'effects' | 'effects_from' | 'row'>,
  reach: DataReach,
): DataDestination {
  const has = (effect: ToolEffect) => tool.effects.includes(effect)
  if (reach.server === 'remote' || has('external') || has('privileged')) return 'leaves'
  const fields = fieldsOf(inForce(tool.row).definition.inputSchema)
  if (reachesNetwork(tool, fields)) return 'leaves'
  if (has('write') || has('destructive')) return 'stays'
  const isVouchedFor = tool.effects_from === 'configured' || reach.files === 'local'
  return isVouchedFor || isAboutFiles(tool, fields) ? 'reads_here' : 'unknown'
}

type Field = { readonly words: readonly string[]; readonly format: unknown }

function reachesNetwork({ row }: Pick<Tool, 'row'>, fields: readonly Field[]): boolean {
  const { annotations } = inForce(row).definition
  if (annotations?.['openWorldHint'] === true) return true
  const isAddress = ({ words, format }: Field) =>
    words.some((word) => NETWORK_FIELDS.has(word)) || format === 'uri' || format === 'iri' || format === 'hostname'
  return fields.some(isAddress) || wordsOf(row).some((word) => NETWORK_WORDS.has(word))
}

const isAboutFiles = ({ row }: Pick<Tool, 'row'>, fields: readonly Field[]): boolean =>
  fields.some(({ words }) => words.some((word) => FILE_FIELDS.has(word))) ||
  wordsOf(row).some((word) => FILE_WORDS.has(word))

function wordsOf(row: Tool['row']): string[] {
  const { name, description } = inForce(row).definition
  return [...splitWords(name), ...splitWords((description ?? '').slice(0, LONGEST_DESCRIPTION))]
}

function fieldsOf(schema: JsonObject): Field[] {
  const properties = schema['properties']
  if (!isJsonObject(properties)) return []
  return Object.entries(properties).map(([name, field]) => ({
    words: splitWords(name),
    format: isJsonObject(field) ? field['format'] : undefined,
  }))
}
