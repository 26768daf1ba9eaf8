import type { Pack, PackTool } from '../../contract/pack.ts'
import type { ToolEffect } from '../../contract/tool.ts'
import { DEFINITIONS } from './data/definitions.ts'

type Fields = Partial<Pick<PackTool, 'recipients' | 'amounts' | 'paths' | 'rollback'>>

/** A pack as it is written down: the names of tools by what they do, with spaces between. */
export type Knowledge = Pick<Pack, 'pack' | 'title' | 'from'> &
  Partial<Pick<Pack, 'packages' | 'addresses' | 'clients'>> & {
    /** By effects, with `+` between several: `write+external`. */
    readonly does: Readonly<Record<string, string>>
    /** Arguments and undoing, by tool. */
    readonly fields?: Readonly<Record<string, Fields>>
  }

/** The hashes come from the recorded list of the real server, where there is one. */
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
