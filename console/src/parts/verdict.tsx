import type { CallSummary } from '../../../server/src/kernel/contract/activity.ts'
import { Icon } from './icon.tsx'
import type { IconName } from './icon-paths.ts'

type Kind = 'allow' | 'ask' | 'block' | 'plain'
type Verdict = { readonly kind: Kind; readonly icon: IconName; readonly word: string }

/** The outcome of a call: an icon, a word and a colour. */
export function verdictOf(call: Pick<CallSummary, 'state' | 'problem' | 'consent_id' | 'approval_id'>): Verdict {
  const code = call.problem?.code
  switch (call.state) {
    case 'pending':
      return { kind: 'ask', icon: 'clock', word: 'Waiting' }
    case 'executing':
      return { kind: 'plain', icon: 'bolt', word: 'Running' }
    case 'executed':
      if (call.consent_id !== undefined) return { kind: 'allow', icon: 'consent', word: 'By consent' }
      if (call.approval_id !== undefined) return { kind: 'allow', icon: 'person', word: 'Approved' }
      return { kind: 'allow', icon: 'check', word: 'Ran' }
    case 'failed':
      return { kind: 'block', icon: 'warn', word: 'Failed' }
    case 'not_reported':
      return { kind: 'plain', icon: 'unknown', word: 'Not reported' }
    case 'unknown':
      return { kind: 'ask', icon: 'unknown', word: 'Unknown' }
    case 'refused':
      if (code === 'approval.denied') return { kind: 'block', icon: 'cross', word: 'Denied' }
      if (code === 'approval.expired') return { kind: 'plain', icon: 'clock', word: 'Expired' }
      if (code === 'approval.withdrawn') return { kind: 'plain', icon: 'undo', word: 'Withdrawn' }
      if (code === 'approval.stale') return { kind: 'ask', icon: 'diff', word: 'Stopped' }
      return { kind: 'block', icon: 'block', word: 'Blocked' }
  }
}

export function Verdict({ of }: { readonly of: Parameters<typeof verdictOf>[0] }) {
  const { kind, icon, word } = verdictOf(of)
  return (
    <span className={`verdict ${kind}`}>
      <Icon name={icon} />
      {word}
    </span>
  )
}

const EFFECTS = {
  allow: { icon: 'check', word: 'Allow' },
  ask: { icon: 'hand', word: 'Ask' },
  block: { icon: 'block', word: 'Block' },
} as const satisfies Record<string, { icon: IconName; word: string }>

type EffectProps = { readonly of: keyof typeof EFFECTS; readonly strength?: string | undefined }

/** What a rule or a policy says. */
export function EffectWord({ of, strength }: EffectProps) {
  const { icon, word } = EFFECTS[of]
  const more = strength === 'strong' ? ' (strong)' : strength === 'two_person' ? ' two people' : ''
  return (
    <span className={`verdict ${of}`}>
      <Icon name={strength === 'two_person' ? 'people' : icon} />
      {word}
      {more}
    </span>
  )
}
