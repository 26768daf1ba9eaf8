import { useId, useState, type ReactNode } from 'react'
import { Icon } from './icon.tsx'

type FoldProps = { readonly label: ReactNode; readonly children: ReactNode; readonly className?: string }

export function Fold({ label, children, className }: FoldProps) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <div className={className}>
      <button
        type="button"
        className="fold"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="open" size="s" />
        {label}
      </button>
      {isOpen ? <div id={id}>{children}</div> : null}
    </div>
  )
}
