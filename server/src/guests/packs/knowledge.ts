import type { Pack, PackTool } from './pack.ts'
import type { ToolEffect } from '../../kernel/contract/tool.ts'
import { DEFINITIONS } from './data/definitions.ts'

type Fields = Partial<Pick<PackTool, 'recipients' | 'amounts' | 'paths' | 'rollback'>>

/** The source form of a pack: tool names grouped by effect, separated by spaces. */
export type Knowledge = Pick<Pack, 'pack' | 'title' | 'from'> &
  Partial<Pick<Pack, 'packages' | 'addresses' | 'clients'>> & {
    /** By effects, joined with `+`: `write+external`. */
    readonly does: Readonly<Record<string, string>>
    /** Arguments and rollbacks, by tool. */
    readonly fields?: Readonly<Record<string, Fields>>
  }

/** The hashes come from the recorded tool list of the real server, if there is one. */
export function packOf({ does, fields = {}, packages = [], addresses = [], clients = [], ...about }: Knowledge): Pack {
  const hashes = DEFINITIONS[about.pack] ?? {}
  const tools = Object.entries(does).flatMap(([effects, names]) =>
    names.split(' ').map((name): [string, PackTool] => [
      name,
      {
        effects: effects.split('+') as ToolEffect[],
        definitions: Object.hasOwn(hashes, name) ? [...(hashes[name] ?? [])] : [],
        recipients: [],
        amounts: [],
        paths: [],
        ...(Object.hasOwn(fields, name) ? fields[name] : {}),
      },
    ]),
  )
  return { ...about, packages, addresses, clients, tools: Object.fromEntries(tools) }
}
