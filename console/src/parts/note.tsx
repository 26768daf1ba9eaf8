import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'
import type { IconName } from './icon-paths.ts'

type NoteProps = {
  readonly kind?: 'taint' | 'block' | 'ask' | 'allow' | 'accent' | 'plain'
  readonly icon: IconName
  /** Refusals are alerts; everything else is read in its place. */
  readonly alert?: boolean
  readonly small?: boolean
  readonly children: ReactNode
}

export function Note({ kind = 'plain', icon, alert = false, small = false, children }: NoteProps) {
  return (
    <div className={`note ${kind}${small ? ' small' : ''}`} role={alert ? 'alert' : 'note'}>
      <Icon name={icon} />
      {children}
    </div>
  )
}
