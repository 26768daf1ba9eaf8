import type { ServerSettings } from '../contract/config.ts'
import type { Tool } from '../contract/tool.ts'
import { toolIdOf } from '../core/catalogue/definition.ts'
import { unlistedTools, type UnlistedTool } from '../core/gate/policy/lint/unlisted-tools.ts'
import { sha256Hex } from '../keys/digest.ts'
import type { Log } from './log.ts'

/** The tools that the settings of a server name and that it does not list: settings of a misspelt tool have no effect. */
export function unlistedSettings(
  server: string,
  { tools }: ServerSettings,
  listed: readonly string[],
): readonly UnlistedTool[] {
  const rollbacks = Object.values(tools).flatMap(({ rollback }) =>
    rollback !== undefined && 'tool' in rollback && rollback.tool !== undefined ? [rollback.tool] : [],
  )
  const names = new Set([...Object.keys(tools), ...rollbacks])
  return unlistedTools({ tool: [...names].map((name) => toolIdOf(server, name, sha256Hex)) }, new Set(listed))
}

/** The tools of a server that the catalogue knows. */
export const idsOf = (server: string, tools: readonly Tool[]): readonly string[] =>
  tools.flatMap(({ row }) => (row.server === server ? [row.tool_id] : []))

export const sayUnlistedSetting = ({ tool, meant }: UnlistedTool): string =>
  `the configuration names \`${tool}\`, which this server does not list${meant === undefined ? '' : `; did you mean \`${meant}\`?`}`

/** For operators who do not run `sluice doctor`. */
export function warnOfUnlisted(
  log: Log,
  server: string,
  settings: ServerSettings | undefined,
  listed: readonly string[],
): void {
  if (settings === undefined) return
  for (const each of unlistedSettings(server, settings, listed)) log('warn', sayUnlistedSetting(each), { server })
}
