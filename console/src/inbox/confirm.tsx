import { useRef, useState, type RefObject } from 'react'
import { confirmOf, confirmWords, isBeingTyped, isTyped } from '../../../server/src/kernel/contract/confirm.ts'
import type { PasskeyOptions } from '../../../server/src/kernel/identity/passkey.ts'
import type { Confirm as ToType } from '../../../server/src/kernel/contract/sentence.ts'
import { ask } from '../api/client.ts'
import type { Packet } from '../api/types.ts'
import { Icon } from '../parts/icon.tsx'
import { ProofField, useProof, type ProofState } from './proof.tsx'

export type Confirmation = {
  readonly needed: boolean
  readonly isDone: boolean
  readonly toType: ToType
  readonly typed: string
  readonly setTyped: (text: string) => void
  readonly field: RefObject<HTMLInputElement | null>
  readonly proof: ProofState
  focus(): void
  clear(): void
}

/** What a strong approval requires: what matters most in the call, typed, and proof of identity. */
export function useConfirm(packet: Packet): Confirmation {
  const [typed, setTyped] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const needed = packet.strength !== 'simple'
  const toType = confirmOf(packet)
  const isRight = isTyped(toType, typed)
  const proof = useProof({
    wanted: needed,
    always: packet.risk_notes.some((note) => note.proof === 'passphrase' && note.effect !== 'allow'),
    challenge: (of) => approvalChallenge(of ?? packet),
  })
  return {
    needed,
    isDone: !needed || (isRight && proof.isReady),
    toType,
    typed,
    setTyped,
    field,
    proof,
    focus: () => (isRight && proof.by === 'passphrase' ? proof.field : field).current?.focus(),
    clear: () => {
      setTyped('')
      proof.clear()
    },
  }
}

/** Of this request as it was shown. */
export const approvalChallenge = ({
  approval_id,
  digest,
}: Pick<Packet, 'approval_id' | 'digest'>): Promise<PasskeyOptions> =>
  ask<PasskeyOptions>(`/v1/approvals/${encodeURIComponent(approval_id)}/passkey`, { method: 'POST', json: { digest } })

/** Not a form: `Enter` in these fields never decides. */
export function Confirm({ of }: { readonly of: Confirmation }) {
  const { kind, word } = confirmWords(of.toType)
  const isRight = isTyped(of.toType, of.typed)
  const isWrong = of.typed !== '' && !isRight && !isBeingTyped(of.toType, of.typed)
  return (
    <div className="confirm">
      <div className="typed">
        <label className="label" htmlFor="typed">
          To approve, type {kind}: <b className="mono">{word}</b>{' '}
          <kbd className="kbd wide" aria-hidden="true">
            A
          </kbd>
        </label>
        <input
          id="typed"
          ref={of.field}
          className={isRight ? 'input mono right' : 'input mono'}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={isWrong ? true : undefined}
          aria-describedby="typed-hint"
          value={of.typed}
          onChange={(event) => of.setTyped(event.target.value)}
        />
        <p id="typed-hint" className={isWrong ? 'hint wrong' : 'hint'}>
          {isWrong ? (
            <>
              <Icon name="warn" />
              You typed something else. Expected: {word}
            </>
          ) : isRight ? (
            <>
              <Icon name="check" />
              Matches.
            </>
          ) : null}
        </p>
      </div>
      <ProofField of={of.proof} id="passphrase" />
    </div>
  )
}
