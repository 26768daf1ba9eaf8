import { nearest } from '../text/nearest.ts'
import type { Match } from '../contract/policy.ts'

export type UnlistedTool = { readonly tool: string; readonly meant?: string }

/** What the tool servers list. */
export type ListedTools = {
  has(tool_id: string): boolean
  readonly servers: ReadonlySet<string>
  /** The tool that a misspelt id of a listed server probably means. */
  meantBy(tool_id: string): string | undefined
}

/**
 * The tools that a rule names and no server lists, probably because they are misspelt. Patterns with `*` may be meant for tools to
 * come. A server without listed tools may not be connected yet, so its tools count only if its name is close to that of another
 * server that lists them.
 */
export function unlistedTools({ tool: named = [] }: Pick<Match, 'tool'>, listed: ListedTools): readonly UnlistedTool[] {
  return named
    .filter((tool) => !/[*?]/.test(tool) && !listed.has(tool))
    .flatMap((tool): UnlistedTool[] => {
      const server = serverWithin(tool)
      if (listed.servers.has(server)) {
        const meant = listed.meantBy(tool)
        return [meant === undefined ? { tool } : { tool, meant }]
      }
      const meant = `${nearest(server, [...listed.servers]) ?? ''}${tool.slice(server.length)}`
      return listed.has(meant) ? [{ tool, meant }] : []
    })
}

export const sayUnlisted = ({ id }: { readonly id: string }, { tool, meant }: UnlistedTool): string =>
  `\`${id}\` names \`${tool}\`, which no tool server lists${meant === undefined ? '' : `; did you mean \`${meant}\`?`}`

/** The server of a tool pattern, or `*`. */
export function serverWithin(tool: string): string {
  const server = tool.split('__', 1)[0] ?? ''
  return tool.includes('__') && !/[*?]/.test(server) ? server : '*'
}
