import type { ServerSettings } from '../contract/server-settings.ts'
import type { ToolDefinition } from '../contract/tool.ts'
import { toolIdOf } from './definition.ts'
import { unlistedTools } from '../policy/unlisted-tools.ts'
import { listedIds } from '../text/nearest-tool.ts'
import { listedTools } from './listed-tools.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Digest } from '../ports/runtime.ts'

/**
 * What to tell the operator about settings for tools that a server does not list, one sentence for each: settings of a misspelt
 * tool have no effect.
 */
export function unlistedSettings(
  digest: Digest,
  server: string,
  settings: ServerSettings | undefined,
  listed: readonly string[],
): readonly string[] {
  const tools = settings?.tools ?? {}
  const rollbacks = Object.values(tools).flatMap(({ rollback }) =>
    rollback !== undefined && 'tool' in rollback && rollback.tool !== undefined ? [rollback.tool] : [],
  )
  const named = [...new Set([...Object.keys(tools), ...rollbacks])].map((name) => toolIdOf(server, name, digest))
  return unlistedTools({ tool: named }, listedTools(listed)).map(({ tool, meant }) => {
    const hint = meant === undefined ? '' : `; did you mean \`${meant}\`?`
    return `the configuration names \`${tool}\`, which this server does not list${hint}`
  })
}

/** The ids of the tools in a server's list. */
export const idsIn = (digest: Digest, server: string, definitions: readonly ToolDefinition[]): readonly string[] =>
  definitions.map(({ name }) => toolIdOf(server, name, digest))

/** The ids of the tools that a server listed last, according to the catalogue. */
export const idsOf = (server: string, catalogue: Pick<Catalogue, 'tools'>): readonly string[] =>
  listedIds(catalogue.tools().filter(({ row }) => row.server === server))
