import { CallerKind } from '../../kernel/contract/caller.ts'

/** The global options that select the gate and the caller. */
export type TargetFlags = {
  readonly url?: string
  readonly key?: string
  readonly as?: string
  /** Of `sluice mcp`: the same as `--as agent:<name>`. */
  readonly agent?: string
  readonly config?: string
  readonly data?: string
}
export type TargetEnv = { readonly SLUICE_URL?: string | undefined; readonly SLUICE_KEY?: string | undefined }

/** Without a `url`, the local socket of the data folder. `notes` lists the environment variables that were not used. */
export type Chosen = {
  readonly url?: string
  readonly key?: string
  readonly as?: string
  readonly notes: readonly string[]
}

/**
 * Which gate, and as which caller. Options override the environment, and a note says which variables are not used. Two options that
 * contradict each other are an error: guessing could send a call under the wrong name.
 */
export function chooseTarget(flags: TargetFlags, env: TargetEnv): Chosen | { readonly fault: string } {
  const fault = faultIn(flags)
  if (fault !== undefined) return { fault }
  const as = asOf(flags)
  const local = as?.flag ?? (['config', 'data'] as const).find((name) => flags[name] !== undefined)
  const envUrl = env.SLUICE_URL === '' ? undefined : env.SLUICE_URL
  const envKey = env.SLUICE_KEY === '' ? undefined : env.SLUICE_KEY
  const url = flags.url ?? (local === undefined ? envUrl : undefined)
  if (url !== undefined && !isHttpUrl(url))
    return { fault: `${flags.url === undefined ? 'SLUICE_URL' : '--url'} is not the address of a gate: ${ADDRESS}` }
  const key = flags.key ?? (as === undefined ? envKey : undefined)
  if (key !== undefined && !IN_HEADER.test(key)) return { fault: 'the key contains spaces or invalid characters' }
  const unused = [
    ...(envUrl !== undefined && url === undefined ? [`SLUICE_URL is not used: --${local} means the local gate`] : []),
    ...(envKey !== undefined && key === undefined ? [`SLUICE_KEY is not used: --${as?.flag} sets the caller`] : []),
  ]
  return {
    ...(url === undefined ? {} : { url }),
    ...(key === undefined ? {} : { key }),
    ...(as === undefined ? {} : { as: as.value }),
    notes: unused,
  }
}

const ADDRESS = 'write http:// or https:// and a host, such as http://127.0.0.1:7420'

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.hostname !== ''
}

const IN_HEADER = /^[\x21-\x7e]+$/

type As = { readonly flag: 'as' | 'agent'; readonly value: string }

function asOf({ as, agent }: TargetFlags): As | undefined {
  if (as !== undefined) return { flag: 'as', value: as }
  return agent === undefined ? undefined : { flag: 'agent', value: `agent:${agent}` }
}

function faultIn(flags: TargetFlags): string | undefined {
  const { url, key, as, agent } = flags
  const who = asOf(flags)
  if (as !== undefined && agent !== undefined && as !== `agent:${agent}`)
    return '--as and --agent name two callers: use only one of them'
  if (who !== undefined && key !== undefined) return `--key and --${who.flag} name two callers: use only one of them`
  if (who !== undefined && url !== undefined)
    return `--${who.flag} works on the local socket only: with --url, use --key or SLUICE_KEY`
  if (who !== undefined && !IN_HEADER.test(who.value))
    return `--${who.flag} contains spaces or invalid characters: write kind:name, such as agent:claude`
  if (as !== undefined && !CallerKind.safeParse(as.split(':', 1)[0]).success)
    return `--as does not begin with a kind of caller: write kind:name, such as agent:claude; the kinds are ${CallerKind.options.join(', ')}`
  return undefined
}
