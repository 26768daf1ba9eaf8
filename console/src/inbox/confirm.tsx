import { useRef, useState, type RefObject } from 'react'
import type { PasskeyOptions } from '../../../server/src/contract/passkey.ts'
import { ask } from '../api/client.ts'
import type { Packet } from '../api/types.ts'
import { Icon } from '../parts/icon.tsx'
import { ProofField, useProof, type Proof } from './proof.tsx'
import { wordToType } from './packet-words.ts'

export type Confirmation = {
  readonly needed: boolean
  readonly isDone: boolean
  readonly kind: string
  readonly word: string
  readonly typed: string
  readonly setTyped: (text: string) => void
  readonly field: RefObject<HTMLInputElement | null>
  readonly proof: Proof
  focus(): void
  clear(): void
}

const folded = (text: string) => text.trim().replaceAll(/\s+/g, ' ')

/** What a strong approval requires: a typed word, and proof of identity. */
export function useConfirm(packet: Packet): Confirmation {
  const [typed, setTyped] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const needed = packet.strength !== 'simple'
  const { kind, word } = wordToType(packet)
  const isRight = folded(typed) === folded(word)
  const proof = useProof({
    wanted: needed,
    always: packet.risk_notes.some((note) => note.proof === 'passphrase' && note.effect !== 'allow'),
    challenge: (of) => approvalChallenge(of ?? packet),
  })
  return {
    needed,
    isDone: !needed || (isRight && proof.isReady),
    kind,
    word,
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
  const isRight = folded(of.typed) === folded(of.word)
  const isWrong = of.typed !== '' && !isRight && !folded(of.word).startsWith(folded(of.typed))
  return (
    <div className="confirm">
      <div className="typed">
        <label className="label" htmlFor="typed">
          To approve, type {of.kind}: <b className="mono">{of.word}</b>{' '}
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
              It is {of.word}. You typed something else.
            </>
          ) : isRight ? (
            <>
              <Icon name="check" />
              The same.
            </>
          ) : null}
        </p>
      </div>
      <ProofField of={of.proof} id="passphrase" />
    </div>
  )
}
