import type { Call } from '../contract/call.ts'
import type { PauseRow, PauseScope } from '../contract/pause.ts'
import type { Opinion } from '../contract/verdict.ts'
import type { CallerNames } from '../contract/caller-identity.ts'
import type { Facts } from './facts.ts'
import type { Policy } from '../policy/policy.ts'

/** The scope of one caller: its id and its user. An id has no spaces, so no other caller has the same scope. */
export function pauseScopeOf({ id, user }: CallerNames): PauseScope {
  return `caller:${id} user:${user}`
}

/** The scopes whose pause stops this call. `caller:` with only an id stops that caller for every user. */
export function pauseScopesOf(call: Pick<Call, 'caller' | 'tool_id' | 'server'>): readonly PauseScope[] {
  return ['all', `caller:${call.caller.id}`, pauseScopeOf(call.caller), `tool:${call.tool_id}`, `server:${call.server}`]
}

export function judgePause(_policy: Policy, _call: Call, facts: Facts): Opinion[] {
  if (facts.pauses === 'unknown') {
    const says = 'it could not be checked whether calls are paused'
    return [{ decider: 'pause', effect: 'block', rule: 'pause.unknown', says, source: 'store', at: facts.now }]
  }
  return facts.pauses.map((pause) => opinionOf(pause, facts.now))
}

function opinionOf(pause: PauseRow, now: number): Opinion {
  const why = pause.reason === '' ? '' : `: ${pause.reason}`
  return {
    decider: 'pause',
    effect: pause.effect,
    rule: `pause.${pause.scope}`,
    says: `${pause.scope === 'all' ? 'every call' : pause.scope} is paused by ${pause.by}${why}`,
    source: `pause by ${pause.by}`,
    at: now,
    ...(pause.effect === 'ask' ? { strength: 'strong' as const } : {}),
  }
}
