import { useEffect, useRef, useState, type ReactNode } from 'react'
import { Button } from '../parts/button.tsx'

type DenyBarProps = {
  /** What is denied. */
  readonly says?: string
  readonly off: boolean
  readonly busy: boolean
  readonly onDeny: (reason: { readonly reason?: string }) => void
  readonly onBack: () => void
}

/** Asks for the reason of a denial; it may be left empty. */
export function DenyBar({ says, off, busy, onDeny, onBack }: DenyBarProps) {
  const [text, setText] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const deny = () => {
    if (off || busy) return
    const reason = text.trim()
    onDeny(reason === '' ? {} : { reason })
  }
  return (
    <Bar>
      <div className="confirm">
        <div className="typed">
          <label className="label" htmlFor="reason">
            {says === undefined ? null : <b>{says} </b>}Reason (optional, shown to the agent)
          </label>
          <input
            id="reason"
            ref={field}
            className="input"
            maxLength={500}
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && !event.repeat && !event.nativeEvent.isComposing) deny()
              else if (event.key === 'Escape') onBack()
              else return
              event.preventDefault()
            }}
          />
        </div>
        <span className="grow" />
        <Button onClick={onBack}>
          Back{' '}
          <kbd className="kbd" aria-hidden="true">
            esc
          </kbd>
        </Button>
        <Button kind="deny" busy={busy} off={off && !busy} onClick={deny}>
          Deny{' '}
          <kbd className="kbd" aria-hidden="true">
            ↵
          </kbd>
        </Button>
      </div>
    </Bar>
  )
}

export function Bar({ children }: { readonly children: ReactNode }) {
  return (
    <div className="decide" role="group" aria-label="Decide">
      <div className="decide-in">{children}</div>
    </div>
  )
}
