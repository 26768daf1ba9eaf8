import type { ServerSettings } from '../../kernel/contract/server-settings.ts'
import type { PackedTool } from '../../kernel/ports/effects-source.ts'
import type { Pack } from './pack.ts'

/** A pack, and whether it ships with the gate or comes from the operator's own folder. */
export type KnownPack = { readonly pack: Pack; readonly source: 'built-in' | 'operator' }

/**
 * The first pack for a server, by its package, its address or the coding agent whose tools it represents. The operator's own
 * packs come first.
 */
export function packFor(packs: readonly KnownPack[], settings: ServerSettings): KnownPack | undefined {
  const { url, command, client } = settings
  if (client !== undefined) return packs.find(({ pack }) => pack.clients.includes(client))
  if (url !== undefined) return packs.find(({ pack }) => pack.addresses.some((address) => isAt(address, url)))
  if (command === undefined) return undefined
  const name = packageOf(command, settings.args)
  return name === undefined ? undefined : packs.find(({ pack }) => pack.packages.includes(name))
}

/** The same host, over TLS, at that path or below it. */
function isAt(address: string, url: string): boolean {
  const [known, actual] = [partsOf(address), partsOf(url)]
  if (known === undefined || actual === undefined || known.origin !== actual.origin) return false
  return actual.path === known.path || actual.path.startsWith(`${known.path}/`)
}

function partsOf(url: string): { readonly origin: string; readonly path: string } | undefined {
  const [, host = '', path = ''] = /^https:\/\/([a-z0-9.-]+(?::\d+)?)(\/[^?#]*)?$/i.exec(url) ?? []
  return host === '' ? undefined : { origin: host.toLowerCase(), path: path.replace(/(?<!\/)\/+$/, '') }
}

/** Programs that run a package: the first word that is not an option names it. */
const RUNNERS = new Set(['npx', 'bunx', 'uvx', 'pipx'])
/** The same, after a subcommand. */
const RUNNERS_WITH_VERB: Readonly<Record<string, readonly string[]>> = {
  npm: ['exec', 'x'],
  pnpm: ['dlx', 'exec'],
  yarn: ['dlx'],
  bun: ['x'],
  uv: ['tool', 'run'],
}

/** The package that a command runs, if the command names it. */
export function packageOf(command: string, args: readonly string[]): string | undefined {
  const program = baseOf(command)
  if (program === 'node') return packageInPath(args.find((arg) => !arg.startsWith('-')) ?? '')
  if (RUNNERS.has(program)) return packageIn(args)
  const verbs = Object.hasOwn(RUNNERS_WITH_VERB, program) ? RUNNERS_WITH_VERB[program] : undefined
  if (verbs === undefined) return packageInPath(command)
  const rest = args.slice(args.findIndex((arg) => !arg.startsWith('-')))
  return verbs.includes(rest[0] ?? '') ? packageIn(rest.slice(1).filter((arg) => !verbs.includes(arg))) : undefined
}

const baseOf = (command: string): string => (/([^/\\]+?)(?:\.(?:exe|cmd))?$/i.exec(command)?.[1] ?? '').toLowerCase()

/** Handles options that name the package, and those that take the next word. */
function packageIn(args: readonly string[]): string | undefined {
  for (const [at, arg] of args.entries()) {
    const [, named] = /^--(?:package|from)=(.+)$/.exec(arg) ?? []
    if (named !== undefined) return withoutVersion(named)
    if (arg === '-p' || arg === '--package' || arg === '--from') return withoutVersion(args[at + 1] ?? '')
    if (!arg.startsWith('-')) return withoutVersion(arg)
  }
  return undefined
}

const withoutVersion = (name: string): string | undefined =>
  /^((?:@[a-z0-9._-]+\/)?[a-z0-9._-]+)(?:@[^/@]+|==.+)?$/i.exec(name)?.[1]

/** `…/node_modules/@scope/name/dist/index.js`: the innermost package. */
function packageInPath(path: string): string | undefined {
  const [, inside] = /^.*[/\\]node_modules[/\\](.+)$/s.exec(path) ?? []
  return inside === undefined ? undefined : /^(?:@[^/\\]+[/\\])?[^/\\]+/.exec(inside)?.[0].replaceAll('\\', '/')
}

/**
 * INVARIANT: found by the tool's own name, and also by its definition's hash if it may make a tool look harmless. A pack for a
 * coding agent matches only the gate's own list of that agent's tools, so there is no untrusted definition.
 */
export function packSays(known: KnownPack | undefined, name: string, hash: string): PackedTool | undefined {
  if (known === undefined || !Object.hasOwn(known.pack.tools, name)) return undefined
  const tool = known.pack.tools[name]
  if (tool === undefined) return undefined
  const is_known = known.pack.clients.length > 0 || tool.definitions.includes(hash)
  return { pack: known.pack.pack, is_known, ...tool }
}
