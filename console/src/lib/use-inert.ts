import { useEffect, useState } from 'react'

const INERT_MS = 400

/** True for 400 ms after what is shown changed: a click or a key that was meant for what stood there before does nothing. */
export function useInert(shown: string | undefined): boolean {
  const [settled, setSettled] = useState<string>()
  useEffect(() => {
    if (shown === undefined) return
    const timer = setTimeout(() => setSettled(shown), INERT_MS)
    return () => clearTimeout(timer)
  }, [shown])
  return shown === undefined || settled !== shown
}
