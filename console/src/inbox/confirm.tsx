import { useRef, useState, type RefObject } from 'react'
import { problemOf, type Problem } from '../api/problem.ts'
import type { Packet } from '../api/types.ts'
import { lasted } from '../lib/time.ts'
import { Icon } from '../parts/icon.tsx'
import { useMe } from './use-me.ts'
import { wordToType } from './packet-words.ts'

type Proof = { readonly passphrase?: string }

export type Confirmation = {
  readonly needed: boolean
  readonly isDone: boolean
  readonly kind: string
  readonly word: string
  readonly typed: string
  readonly setTyped: (text: string) => void
  readonly wantsPassphrase: boolean
  readonly passphrase: string
  readonly setPassphrase: (text: string) => void
  readonly problem: Problem | undefined
  readonly field: RefObject<HTMLInputElement | null>
  readonly secret: RefObject<HTMLInputElement | null>
  focus(): void
  clear(): void
  proof(): Promise<Proof>
  refused(error: unknown): void
}

const folded = (text: string) => text.trim().replaceAll(/\s+/g, ' ')

/** What a careful approval asks for before it can be given: words typed by hand, and a proof of who types them. */
export function useConfirm(packet: Packet): Confirmation {
  const me = useMe()
  const [typed, setTyped] = useState('')
  const [passphrase, setPassphrase] = useState('')
  const [problem, setProblem] = useState<Problem>()
  const field = useRef<HTMLInputElement>(null)
  const secret = useRef<HTMLInputElement>(null)
  const needed = packet.strength !== 'simple'
  const { kind, word } = wordToType(packet)
  const isRight = folded(typed) === folded(word)
  const asked = packet.risk_notes.some(({ proof, effect }) => proof === 'passphrase' && effect !== 'allow')
  const refusedFor = problem?.code.startsWith('approval.passphrase') === true
  const wantsPassphrase = needed && (asked || refusedFor || me?.proofs.needed === true)
  return {
    needed,
    isDone: !needed || (isRight && (!wantsPassphrase || passphrase !== '')),
    kind,
    word,
    typed,
    setTyped,
    wantsPassphrase,
    passphrase,
    setPassphrase,
    problem,
    field,
    secret,
    focus: () => (isRight && wantsPassphrase ? secret : field).current?.focus(),
    clear: () => {
      setTyped('')
      setPassphrase('')
      setProblem(undefined)
    },
    proof: () => Promise.resolve(wantsPassphrase ? { passphrase } : {}),
    refused: (error) => {
      setPassphrase('')
      setProblem(problemOf(error))
    },
  }
}

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
      {of.wantsPassphrase ? (
        <div className="typed">
          <label className="label" htmlFor="passphrase">
            Your passphrase
          </label>
          <input
            id="passphrase"
            ref={of.secret}
            className="input"
            type="password"
            autoComplete="off"
            aria-invalid={of.problem === undefined ? undefined : true}
            aria-describedby="passphrase-hint"
            value={of.passphrase}
            onChange={(event) => of.setPassphrase(event.target.value)}
          />
          <PassphraseHint problem={of.problem} />
        </div>
      ) : null}
    </div>
  )
}

function PassphraseHint({ problem }: { readonly problem: Problem | undefined }) {
  const said = saidOf(problem)
  return (
    <p id="passphrase-hint" className="hint wrong" role={said === undefined ? undefined : 'alert'}>
      {said === undefined ? null : <Icon name="warn" />}
      {said}
    </p>
  )
}

function saidOf(problem: Problem | undefined): string | undefined {
  if (problem === undefined) return undefined
  const { code, about, title } = problem
  if (code === 'approval.passphrase_needed') return 'This one needs your passphrase too.'
  if (code === 'approval.passphrase_wrong')
    return `That is not it.${about['tries_left'] === undefined ? '' : ` ${about['tries_left']} tries left.`}`
  if (code === 'approval.passphrase_unset') return 'You have no passphrase yet. Set one under Settings.'
  if (code === 'approval.passphrase_locked')
    return `Too many wrong passphrases. Try again in ${lasted(Number(about['retry_after_s'] ?? 60) * 1_000)}.`
  return `Nothing was decided: ${title}.`
}
