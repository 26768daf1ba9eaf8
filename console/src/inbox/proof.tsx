import { useRef, useState, type RefObject } from 'react'
import type { PasskeyOptions } from '../../../server/src/kernel/identity/passkey.ts'
import { problemOf, type ConsoleProblem } from '../api/problem.ts'
import { givePasskey, type AssertionBody } from '../lib/passkey.ts'
import { lasted } from '../lib/time.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { TextField } from '../parts/text-field.tsx'
import { useMe } from './use-me.ts'

/** Another request of a group than the first: a passkey signs each by itself. */
type Signed = { readonly approval_id: string; readonly digest: string }
type Given = { readonly passphrase?: string; readonly passkey?: AssertionBody }

export type ProofState = {
  readonly by: 'nothing' | 'passphrase' | 'passkey'
  readonly isReady: boolean
  readonly passphrase: string
  readonly setPassphrase: (text: string) => void
  /** Undefined if there is no other way. */
  readonly swap: (() => void) | undefined
  readonly problem: ConsoleProblem | undefined
  readonly field: RefObject<HTMLInputElement | null>
  /** Asks the browser for the passkey, if one is used. */
  give(of?: Signed): Promise<Given>
  refused(error: unknown): void
  clear(): void
}

type Wanted = {
  /** Whether the action requires proof from people who have a passkey or passphrase. */
  readonly wanted: boolean
  /** Whether it requires proof from everybody. */
  readonly always: boolean
  /** What the passkey signs: exactly this action, as it was shown. */
  readonly challenge: (of?: Signed) => Promise<PasskeyOptions>
}

/** Proof that it is the person and not only their key: a passkey or a passphrase. */
export function useProof({ wanted, always, challenge }: Wanted): ProofState {
  const me = useMe()
  const [passphrase, setPassphrase] = useState('')
  const [isOther, setOther] = useState(false)
  const [problem, setProblem] = useState<ConsoleProblem>()
  const field = useRef<HTMLInputElement>(null)
  const hasPasskey = (me?.proofs.passkeys ?? 0) > 0 || problem?.code === 'approval.passkey_needed'
  const hasPassphrase = me?.proofs.passphrase === true || problem?.code.startsWith('approval.passphrase') === true
  const first = hasPasskey
    ? 'passkey'
    : hasPassphrase || always || me?.proofs.needed === true
      ? 'passphrase'
      : 'nothing'
  const by = !wanted ? 'nothing' : isOther && hasPasskey && hasPassphrase ? 'passphrase' : first
  return {
    by,
    isReady: by !== 'passphrase' || passphrase !== '',
    passphrase,
    setPassphrase,
    swap: hasPasskey && hasPassphrase ? () => setOther(!isOther) : undefined,
    problem,
    field,
    async give(of) {
      if (by === 'passphrase') return { passphrase }
      return by === 'passkey' ? { passkey: await givePasskey(await challenge(of)) } : {}
    },
    refused(error) {
      setPassphrase('')
      setProblem(problemOf(error))
    },
    clear() {
      setPassphrase('')
      setProblem(undefined)
    },
  }
}

export function ProofField({ of, id }: { readonly of: ProofState; readonly id: string }) {
  const said = saidOf(of.problem)
  if (of.by === 'nothing' && said === undefined) return null
  return (
    <div className="typed">
      {of.by === 'passphrase' ? (
        <TextField
          id={id}
          ref={of.field}
          type="password"
          label="Your passphrase"
          invalid={said !== undefined}
          describedBy={`${id}-hint`}
          value={of.passphrase}
          onValue={of.setPassphrase}
        />
      ) : of.by === 'passkey' ? (
        <p className="hint">
          <Icon name="lock" />
          Your browser asks for your passkey.
        </p>
      ) : null}
      {of.swap === undefined ? null : (
        <Button kind="quiet" size="small" onClick={of.swap}>
          {of.by === 'passkey' ? 'Use the passphrase' : 'Use the passkey'}
        </Button>
      )}
      <p id={`${id}-hint`} className="hint wrong" role={said === undefined ? undefined : 'alert'}>
        {said === undefined ? null : <Icon name="warn" />}
        {said}
      </p>
    </div>
  )
}

function saidOf(problem: ConsoleProblem | undefined): string | undefined {
  if (problem === undefined) return undefined
  const { code, about, title } = problem
  if (code === 'approval.passphrase_needed') return 'This one needs your passphrase too.'
  if (code === 'approval.passkey_needed') return 'This one needs your passkey too. Confirm again.'
  if (code === 'approval.passphrase_wrong')
    return `The passphrase is wrong.${about['tries_left'] === undefined ? '' : ` ${about['tries_left']} tries left.`}`
  if (code === 'approval.passphrase_unset') return 'You have no passphrase yet. Set one under Settings.'
  if (code === 'approval.passphrase_locked')
    return `Too many wrong passphrases. Try again in ${lasted(Number(about['retry_after_s'] ?? 60) * 1_000)}.`
  return `Nothing was done: ${title}.`
}
