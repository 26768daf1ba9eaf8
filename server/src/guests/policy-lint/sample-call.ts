import type { Match } from '../../kernel/contract/policy.ts'
import type { DescribedCall } from '../../kernel/policy/described-call.ts'
import { matchesGlob, parseGlob } from '../../kernel/policy/glob.ts'

/** A call that a `match` fits; undefined if none was found. */
export function sampleCall(match: Match): DescribedCall | undefined {
  const tool = sampleTool(match)
  if (tool === undefined) return undefined
  const [lane] = samples(match.lane)
  const tags = samples(match.tag).slice(0, 1)
  return {
    tool,
    effects: match.effects?.slice(0, 1) ?? ['write'],
    risk: match.risk?.[0] ?? 'medium',
    tags,
    caller: samples(match.caller)[0] ?? 'agent:any',
    role: match.role?.[0] ?? 'agent',
    user: samples(match.user)[0] ?? 'anyone',
    args: {},
    labels: [],
    now: 0,
    ...(lane === undefined ? {} : { lane }),
  }
}

/** A tool id that fits both the tool and the server patterns. */
function sampleTool({ tool, server }: Match): string | undefined {
  const servers = server === undefined ? ['any'] : samples(server)
  const patterns = tool ?? servers.map((name) => `${name}__tool`)
  const fills = ['', 'x', '__', 'x__x', '__x', 'x__', ...servers.flatMap((name) => [name, `${name}__`, `${name}__x`])]
  const candidates = patterns.flatMap((pattern) => fills.flatMap((fill) => filled(pattern, fill)))
  return candidates.find((id) => {
    const at = id.indexOf('__')
    return at > 0 && at + 2 < id.length && (server === undefined || fitsOne(server, id.slice(0, at)))
  })
}

const fitsOne = (patterns: readonly string[], name: string) =>
  patterns.some((pattern) => matchesGlob(parseGlob(pattern), name))

/** The first star is replaced by the filling, the others by a letter or nothing. */
function filled(pattern: string, fill: string): string[] {
  const first = pattern.replaceAll('?', 'x').replace('*', () => fill)
  return [first.replaceAll('*', 'x'), first.replaceAll('*', '')]
}

function samples(patterns: readonly string[] | undefined): string[] {
  return patterns?.map((pattern) => filled(pattern, 'x')[0] ?? pattern) ?? []
}
