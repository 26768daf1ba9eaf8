import type { ServerSettings } from '../../kernel/contract/config.ts'
import { visibleText } from '../../kernel/contract/visible-text.ts'
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
  if (settings.command !== undefined)
    return [`${name}: ${commandLine([settings.command, ...settings.args])}${aroundOf(settings)}`]
  if (settings.commands !== undefined)
    return Object.entries(settings.commands).map(
      ([command, { run }]) =>
        `${name}: ${commandLine(run.flat())}${aroundOf(settings)} (for \`${visibleText(command)}\`)`,
    )
  if (settings.url !== undefined) return [`${name}: at ${visibleText(settings.url)}`]
  if (settings.openapi === undefined) return []
  return [`${name}: the API of ${visibleText(settings.openapi)}${at(settings.base_url)}`]
}

const at = (url: string | undefined): string => (url === undefined ? '' : `, at ${visibleText(url)}`)

type Around = { readonly cwd?: string | undefined; readonly user?: string | undefined; readonly env: object }

/** Variables by name only: their values may be secrets. */
function aroundOf({ cwd, user, env }: Around): string {
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
