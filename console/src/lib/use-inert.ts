import { useEffect, useState } from 'react'

const INERT_MS = 400

/** True for 400 ms after the shown request changed, so that a click or key meant for the previous one does nothing. */
export function useInert(shown: string | undefined): boolean {
  const [settled, setSettled] = useState<string>()
  useEffect(() => {
    if (shown === undefined) return
    const timer = setTimeout(() => setSettled(shown), INERT_MS)
    return () => clearTimeout(timer)
  }, [shown])
  return shown === undefined || settled !== shown
}
