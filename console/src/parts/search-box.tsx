import { Icon } from './icon.tsx'

type SearchProps = {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly onValue: (value: string) => void
}

/** The field that `/` goes to. */
export function SearchBox({ label, placeholder, value, onValue }: SearchProps) {
  return (
    <div className="search">
      <Icon name="search" />
      <input
        className="input"
        type="search"
        data-search
        aria-label={label}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onValue(event.target.value)}
      />
    </div>
  )
}
