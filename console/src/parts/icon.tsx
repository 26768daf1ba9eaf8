import { ICONS, type IconName } from './icon-paths.ts'

/** Always beside a word: an icon alone never carries a meaning. */
export function Icon({ name, size }: { readonly name: IconName; readonly size?: 's' | 'l' }) {
  return (
    <svg className={size === undefined ? 'icon' : `icon ${size}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  )
}

export function Logo() {
  return (
    <svg viewBox="0 0 22 22" aria-hidden="true">
      <rect width="22" height="22" rx="5.5" fill="var(--ink)" />
      <g stroke="var(--on-ink)" strokeLinecap="round" fill="none">
        <path d="M6 4.500v13M16 4.500v13" strokeWidth="2" />
        <path d="M8.600 6.500h4.800v5H8.600z" fill="var(--on-ink)" stroke="none" />
        <path d="M8.300 15.600c.9-.9 1.800-.9 2.700 0s1.800.9 2.700 0" strokeWidth="1.5" />
      </g>
    </svg>
  )
}
