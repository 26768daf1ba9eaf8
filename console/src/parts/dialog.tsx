import { useEffect, useId, useRef, type ReactNode } from 'react'
import { Button } from './button.tsx'

type DialogProps = {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  /** What closes it without doing anything. It has the first focus. */
  readonly cancel: string
  /** Beside that: what the dialog is for. */
  readonly act: ReactNode
  readonly says?: string
  readonly className?: string
}

/**
 * Open while it is mounted. The browser traps the focus, makes the rest of the page inert and gives the focus back. The first focus
 * is on the element inside `data-harmless`.
 */
export function Dialog({ title, onClose, children, cancel, act, says, className }: DialogProps) {
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
        <div className="dialog-foot">
          <span className="grow">{says}</span>
          <span data-harmless>
            <Button onClick={onClose}>
              {cancel}{' '}
              <kbd className="kbd" aria-hidden="true">
                esc
              </kbd>
            </Button>
          </span>
          {act}
        </div>
      </div>
    </dialog>
  )
}
