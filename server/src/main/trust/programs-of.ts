import { processOf, type ServerSettings } from '../../kernel/contract/server-settings.ts'
import { visibleText } from '../../kernel/contract/visible-text.ts'
import { reachOfServer } from '../config-schema.ts'
import type { Settings } from '../load-config.ts'

/** What a gate would start and contact with this configuration, one line for each: what a person is asked about. */
export function programsOf({ config }: Pick<Settings, 'config'>): readonly string[] {
  const { seal } = config.store
  const sealed =
    typeof seal === 'object' && 'command' in seal ? [`the key for contents: ${commandLine(seal.command)}`] : []
  return [...Object.entries(config.servers).flatMap(([name, settings]) => serverLines(name, settings)), ...sealed]
}

/** The same for one server. */
export function serverLines(name: string, settings: ServerSettings): readonly string[] {
  const { programs = [], contacts } = reachOfServer(settings)
  const around = aroundOf(processOf(settings))
  const started = programs.map(
    ({ words, tool }) => `${commandLine(words)}${around}${tool === undefined ? '' : ` (for \`${visibleText(tool)}\`)`}`,
  )
  return [...started, ...(contacts === undefined ? [] : [contacts])].map((line) => `${name}: ${line}`)
}

/** Variables by name only: their values may be secrets. */
function aroundOf(started: ReturnType<typeof processOf>): string {
  if (started === undefined) return ''
  const { cwd, user, env } = started
  const names = Object.keys(env)
  return [
    cwd === undefined ? '' : ` in ${visibleText(cwd)}`,
    user === undefined ? '' : ` as user ${user}`,
    names.length === 0 ? '' : ` with ${names.join(', ')}`,
  ].join('')
}

/** Word for word: nothing is shortened, because what is left out could be what matters. */
const commandLine = (words: readonly string[]): string => words.map(word).join(' ')

const word = (text: string): string => (/^[\w@%+=:,./{}-]+$/.test(text) ? text : visibleText(JSON.stringify(text)))
