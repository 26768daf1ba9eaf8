import { exactTimeOnHover, timeLeft, urgency } from '../lib/time.ts'
import { useNow } from '../lib/use-now.ts'

type CountdownProps = { readonly from: number; readonly until: number; readonly long?: boolean }

const AROUND = 2 * Math.PI * 5.5

/** Not a live region: the packet announces five minutes and one. */
export function Countdown({ from, until, long = false }: CountdownProps) {
  const now = useNow()
  const left = until - now
  const share = Math.max(0, Math.min(1, left / Math.max(1, until - from)))
  return (
    <span className={`left ${urgency(left)}`} {...exactTimeOnHover(until)}>
      <svg className="ring" viewBox="0 0 14 14" aria-hidden="true">
        <circle className="track" cx="7" cy="7" r="5.5" />
        <circle cx="7" cy="7" r="5.5" strokeDasharray={`${share * AROUND} ${AROUND}`} />
      </svg>
      {timeLeft(left)}
      {long && left > 0 ? ' left to decide' : null}
    </span>
  )
}
