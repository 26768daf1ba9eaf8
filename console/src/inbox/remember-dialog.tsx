import { useState } from 'react'
import type { Constraint, Remember } from '../../../server/src/kernel/contract/consent.ts'
import { codeOf } from '../api/problem.ts'
import type { Packet } from '../api/types.ts'
import { say } from '../lib/announce.ts'
import { shownText } from '../lib/visible.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Note } from '../parts/note.tsx'
import { Text } from '../parts/text.tsx'
import { agentName, argumentsOf } from './packet-words.ts'
import { approvalChallenge } from './confirm.tsx'
import { ConsentPreview } from './consent-preview.tsx'
import { unfoldedOf } from './use-unfolding.ts'
import { useDecide } from './use-decide.ts'
import { ProofField, useProof } from './proof.tsx'

type RememberProps = {
  readonly packet: Packet
  readonly off: boolean
  readonly onClose: () => void
  readonly onDecided: () => void
  readonly onRefused: () => void
}

type Vary = 'same' | 'prefix' | 'any'
const CALLS = [2, 5, 10, 25, 100]
const SPANS: readonly (readonly [string, number])[] = [
  ['an hour', 3_600],
  ['8 hours', 28_800],
  ['a day', 86_400],
  ['a week', 604_800],
  ['30 days', 2_592_000],
]
const OVERTAKEN = new Set(['approval.changed', 'approval.not_pending', 'approval.expired'])

const pointerOf = (name: string) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

/** Calls and time have no default, so that the person chooses the bounds. */
export function RememberDialog({ packet, off, onClose, onDecided, onRefused }: RememberProps) {
  const args = argumentsOf(packet.proposed_args) ?? {}
  const names = Object.keys(args)
  const [calls, setCalls] = useState('')
  const [span, setSpan] = useState('')
  const [vary, setVary] = useState<Readonly<Record<string, Vary>>>({})
  const [prefixes, setPrefixes] = useState<Readonly<Record<string, string>>>({})
  const decide = useDecide(packet.approval_id)
  // A consent also covers strong requests, so granting one requires the same proof.
  const proof = useProof({ wanted: true, always: false, challenge: () => approvalChallenge(packet) })
  const constraints = names.map((name): Constraint => {
    const path = pointerOf(name)
    const how = vary[name] ?? 'same'
    if (how === 'any') return { path, op: 'any' }
    if (how === 'prefix') return { path, op: 'prefix', value: prefixes[name] ?? String(args[name]) }
    return { path, op: 'equals', value: args[name] as never }
  })
  const bounds: Remember | undefined =
    calls === '' || span === '' ? undefined : { calls: Number(calls), expires_in_s: Number(span), args: constraints }
  const spanName = SPANS.find(([, seconds]) => String(seconds) === span)?.[0]
  const approve = async () => {
    if (bounds === undefined || off) return
    try {
      const given = await proof.give()
      await decide.mutateAsync({
        decision: 'approve',
        digest: packet.digest,
        ...unfoldedOf(packet),
        remember: bounds,
        ...given,
      })
      say('Approved and remembered.', { href: '#/consents', words: 'Consents' })
      onDecided()
    } catch (error) {
      if (OVERTAKEN.has(codeOf(error))) onRefused()
      else proof.refused(error)
    }
  }
  return (
    <Dialog
      title="Approve this and similar calls"
      onClose={onClose}
      says="You can revoke it at any time under Consents."
      cancel="Cancel"
      act={
        <Button
          kind="primary"
          off={off || bounds === undefined || !proof.isReady}
          busy={decide.isPending}
          onClick={() => void approve()}
        >
          Approve and remember
        </Button>
      }
    >
      <Note kind="accent" icon="consent">
        <p>
          {bounds === undefined ? (
            'Choose how often and for how long.'
          ) : (
            <>
              For <b>{spanName}</b>,{' '}
              <b>
                <Text>{agentName(packet.asked_by.id)}</Text>
              </b>{' '}
              may use{' '}
              <b>
                <Text>{packet.skill_id}</Text>
              </b>{' '}
              up to <b>{calls} times</b> without asking{names.length === 0 ? '.' : ', with '}
              {names.map((name, at) => (
                <span key={name}>
                  {at === 0 ? '' : ', '}
                  <VaryWords name={name} how={vary[name] ?? 'same'} prefix={prefixes[name] ?? String(args[name])} />
                </span>
              ))}
              {names.length === 0 ? '' : '.'}
            </>
          )}
        </p>
      </Note>
      <div className="two">
        <div>
          <label className="label" htmlFor="often">
            How often
          </label>
          <select id="often" className="select" value={calls} onChange={(event) => setCalls(event.target.value)}>
            <option value="">choose</option>
            {CALLS.map((n) => (
              <option key={n} value={n}>
                {n} times
              </option>
            ))}
          </select>
        </div>
        <div>
          <label className="label" htmlFor="span">
            For how long
          </label>
          <select id="span" className="select" value={span} onChange={(event) => setSpan(event.target.value)}>
            <option value="">choose</option>
            {SPANS.map(([name, seconds]) => (
              <option key={seconds} value={seconds}>
                {name}
              </option>
            ))}
          </select>
        </div>
      </div>
      {names.length === 0 ? null : (
        <fieldset>
          <legend className="label">What may vary</legend>
          <div className="vary">
            {names.map((name) => (
              <div key={name}>
                <label htmlFor={`vary-${name}`}>
                  <Text>{name}</Text>
                </label>
                <select
                  id={`vary-${name}`}
                  className="select"
                  value={vary[name] ?? 'same'}
                  onChange={(event) => setVary({ ...vary, [name]: event.target.value as Vary })}
                >
                  <option value="same">exactly {shownText(shortly(args[name]))}</option>
                  {typeof args[name] === 'string' && args[name] !== '' ? (
                    <option value="prefix">begins with …</option>
                  ) : null}
                  <option value="any">anything</option>
                </select>
                {vary[name] === 'prefix' ? (
                  <input
                    className="input mono"
                    aria-label={`${name} begins with`}
                    value={prefixes[name] ?? String(args[name])}
                    onChange={(event) => setPrefixes({ ...prefixes, [name]: event.target.value })}
                  />
                ) : null}
              </div>
            ))}
          </div>
          <p className="small dim">Other arguments still need approval. Ends if the tool’s definition changes.</p>
        </fieldset>
      )}
      {bounds === undefined ? null : <ConsentPreview packet={packet} bounds={bounds} />}
      <ProofField of={proof} id="remember-passphrase" />
    </Dialog>
  )
}

const shortly = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

function VaryWords({ name, how, prefix }: { readonly name: string; readonly how: Vary; readonly prefix: string }) {
  if (how === 'any')
    return (
      <>
        any <Text>{name}</Text>
      </>
    )
  if (how === 'prefix')
    return (
      <>
        <Text>{name}</Text> beginning with “<Text>{prefix}</Text>”
      </>
    )
  return (
    <>
      exactly this <Text>{name}</Text>
    </>
  )
}
