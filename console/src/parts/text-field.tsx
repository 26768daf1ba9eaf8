import type { ReactNode, Ref } from 'react'

type TextFieldProps = {
  readonly id: string
  readonly label: ReactNode
  readonly value: string
  readonly onValue: (text: string) => void
  readonly type?: 'text' | 'password'
  readonly mono?: boolean
  readonly autoComplete?: string
  readonly placeholder?: string
  readonly maxLength?: number
  readonly invalid?: boolean
  readonly describedBy?: string
  readonly ref?: Ref<HTMLInputElement>
}

/** A field of one line under its label. */
export function TextField(props: TextFieldProps) {
  const { id, label, value, onValue, type = 'text', mono = false, autoComplete = 'off', invalid = false } = props
  return (
    <div>
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        ref={props.ref}
        className={mono ? 'input mono' : 'input'}
        type={type}
        autoComplete={autoComplete}
        placeholder={props.placeholder}
        maxLength={props.maxLength}
        aria-invalid={invalid ? true : undefined}
        aria-describedby={props.describedBy}
        value={value}
        onChange={(event) => onValue(event.target.value)}
      />
    </div>
  )
}
