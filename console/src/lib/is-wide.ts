import { useSyncExternalStore } from 'react'

/** Whether more than one pane fits beside another; the same width as in the style sheets. */
const wide = matchMedia('(min-width: 720px)')
export const isWide = (): boolean => wide.matches

const follow = (listener: () => void) => {
  wide.addEventListener('change', listener)
  return () => wide.removeEventListener('change', listener)
}
export const useIsWide = (): boolean => useSyncExternalStore(follow, isWide)
