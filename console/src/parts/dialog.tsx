import { useEffect, useId, useRef, type ReactNode } from 'react'

type DialogProps = {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly foot: ReactNode
  readonly className?: string
}

/**
 * Open while it is mounted. The browser traps the focus, makes the rest of the page inert and gives the focus back.
 * The first focus is on what stands inside `data-harmless`.
 */
export function Dialog({ title, onClose, children, foot, className }: DialogProps) {
  const id = useId()
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = ref.current
    if (dialog === null) return
    const before = document.activeElement
    if (!dialog.open) dialog.showModal()
    dialog.querySelector<HTMLElement>('[data-harmless] :is(button, input, select)')?.focus()
    return () => {
      dialog.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      className={className === undefined ? 'dialog' : `dialog ${className}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <div className="dialog-in">
        <h2 id={id}>{title}</h2>
        <div className="dialog-body">{children}</div>
        <div className="dialog-foot">{foot}</div>
      </div>
    </dialog>
  )
}
