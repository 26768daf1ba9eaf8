import type { Call } from '../../../contract/call.ts'
import type { Json } from '../../../contract/json.ts'
import type { Sandbox } from '../../../contract/judgement.ts'
import { inForce, type Tool } from '../../../contract/tool.ts'
import { fileArguments, type FileArgument } from '../../../core/gate/sandbox/file-arguments.ts'
import type { FileFact, FilesFact } from '../../../core/gate/sandbox/files-fact.ts'
import { pathReadings } from '../../../core/gate/sandbox/path-readings.ts'
import { shownPointer } from '../../../core/gate/shown-pointer.ts'
import type { FileFacts } from '../../ports.ts'
import { settingsOf, type Judgement } from './load-judgement.ts'

export type FilesDeps = { readonly files: FileFacts; readonly judgement: Judgement }

/** No operating system takes a longer path, and nobody needs more of them in one call. */
const LONGEST = 4096
const MOST_FILES = 1000

/** Which arguments name files and where these lead. Looked up only where a sandbox or a honey file makes it matter. */
export function filesFact(deps: FilesDeps, call: Call, tool: Tool): FilesFact | Promise<FilesFact> {
  const { judgement } = deps
  const sandbox = Object.hasOwn(judgement.servers, call.server) ? judgement.servers[call.server]?.sandbox : undefined
  const matters = sandbox !== undefined || judgement.trapFiles.length > 0
  return matters ? lookUp(deps, call, tool, sandbox) : NO_FILES
}

const NO_FILES: FilesFact = { sandbox: 'none', args: [] }

async function lookUp(deps: FilesDeps, call: Call, tool: Tool, sandbox: Sandbox | undefined): Promise<FilesFact> {
  const args: Json = JSON.parse(call.canonical_args)
  const found = fileArguments(args, settingsOf(deps.judgement, tool)?.files)
  const resolved: FileFact[] = []
  for (const [at, argument] of found.entries()) {
    const place = shownPointer(argument.path, inForce(tool.row).definition.inputSchema)
    const isTooMuch = at >= MOST_FILES || argument.text.length > LONGEST
    const fact = isTooMuch ? { readings: [], leads: 'unknown' as const } : await leadsOf(deps, call.server, argument)
    resolved.push({ at: place, ...fact })
  }
  return { sandbox: sandbox === undefined ? 'none' : await rootsOf(deps, sandbox), args: resolved }
}

async function rootsOf({ files }: FilesDeps, sandbox: Sandbox): Promise<FilesFact['sandbox']> {
  if (!sandbox.local) return 'remote'
  const roots = await Promise.all(sandbox.roots.map((root) => files.configured(root)))
  return { roots: allOf(roots) }
}

async function leadsOf({ files }: FilesDeps, server: string, { text }: FileArgument): Promise<Omit<FileFact, 'at'>> {
  const read = pathReadings(text, { windows: files.windows, home: files.home(server) })
  if (read.is === 'refused') return { fault: read.fault, readings: [], leads: 'unknown' }
  const leads = await Promise.all(read.paths.map((path) => files.argument(server, path)))
  return { readings: read.paths, leads: allOf(leads) }
}

/** One that nobody knows makes all of them unknown. */
function allOf(paths: readonly (string | undefined)[]): readonly string[] | 'unknown' {
  const known = paths.filter((path) => path !== undefined)
  return known.length === paths.length ? known : 'unknown'
}
