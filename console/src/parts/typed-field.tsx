import { TextField } from './text-field.tsx'

type TypedFieldProps = {
  readonly id: string
  readonly word: string
  readonly value: string
  readonly onValue: (text: string) => void
}

/** A word to type, for actions that must not be confirmed by habit. */
export function TypedField({ id, word, value, onValue }: TypedFieldProps) {
  const label = (
    <>
      Type <b className="mono">{word}</b> to continue
    </>
  )
  return <TextField id={id} label={label} mono value={value} onValue={onValue} />
}
