import type { ReactNode, Ref } from 'react'

type ButtonProps = {
  readonly kind?: 'primary' | 'plain' | 'deny' | 'danger' | 'quiet' | 'on-danger'
  readonly size?: 'small'
  readonly onClick?: () => void
  readonly off?: boolean
  readonly busy?: boolean
  readonly pressed?: boolean
  readonly keyName?: string
  readonly className?: string
  readonly describedBy?: string
  readonly label?: string
  readonly submit?: boolean
  readonly ref?: Ref<HTMLButtonElement>
  readonly children: ReactNode
}

/** A disabled button keeps its place and its focus. */
export function Button(props: ButtonProps) {
  const { kind = 'plain', size, onClick, off = false, busy = false, pressed, keyName, className, describedBy } = props
  const isOff = off || busy
  const names = ['btn', kind === 'plain' ? '' : kind, size ?? '', className ?? ''].filter((word) => word !== '')
  return (
    <button
      type={props.submit === true ? 'submit' : 'button'}
      ref={props.ref}
      className={names.join(' ')}
      aria-disabled={isOff ? true : undefined}
      aria-busy={busy ? true : undefined}
      aria-pressed={pressed}
      aria-describedby={describedBy}
      aria-label={props.label}
      aria-keyshortcuts={keyName}
      onClick={(event) => {
        if (isOff) event.preventDefault()
        else onClick?.()
      }}
    >
      {busy ? <span className="spin" aria-hidden="true" /> : null}
      {props.children}
      {keyName === undefined ? null : (
        <kbd className="kbd" aria-hidden="true">
          {keyName.toUpperCase()}
        </kbd>
      )}
    </button>
  )
}
