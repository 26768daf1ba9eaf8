const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 86_400_000

/** Time left as a person reads it: seconds are counted only when they matter. */
export function timeLeft(ms: number): string {
  if (ms <= 0) return 'expired'
  if (ms < 15 * MINUTE) {
    const seconds = Math.floor(ms / SECOND)
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  }
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h`
  return `${Math.floor(ms / DAY)} d`
}

export const urgency = (ms: number): 'gone' | 'now' | 'soon' | 'later' =>
  ms <= 0 ? 'gone' : ms < 3 * MINUTE ? 'now' : ms < 15 * MINUTE ? 'soon' : 'later'

export function ago(at: number, now: number): string {
  const ms = Math.max(0, now - at)
  if (ms < MINUTE) return 'just now'
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ago`
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ago`
  return `${Math.floor(ms / DAY)} d ago`
}

export function lasted(ms: number): string {
  if (ms < 1) return '< 1 ms'
  if (ms < SECOND) return `${Math.round(ms)} ms`
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`
  if (ms < HOUR) {
    const seconds = Math.round((ms % MINUTE) / SECOND)
    return seconds === 0 || ms > 10 * MINUTE
      ? `${Math.floor(ms / MINUTE)} min`
      : `${Math.floor(ms / MINUTE)} min ${seconds} s`
  }
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h`
  return `${Math.floor(ms / DAY)} d`
}

/** A format is built when it is first used: each costs a slow phone some 20 ms. */
function lazy<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
const format = (options: Intl.DateTimeFormatOptions) => lazy(() => new Intl.DateTimeFormat(undefined, options))
const dayName = format({ weekday: 'short', day: 'numeric', month: 'short' })
const whole = format({ dateStyle: 'full', timeStyle: 'long' })
const number = lazy(() => new Intl.NumberFormat())

/** Hours, minutes and seconds, in local time. */
export const clockTime = (at: number): string => new Date(at).toTimeString().slice(0, 8)
const shortClock = (at: number): string => clockTime(at).slice(0, 5)

/** Shows the exact time when somebody points at the element; built only then, because the first one takes a slow phone 50 ms. */
export const exactTimeOnHover = (at: number) => ({
  onPointerEnter: ({ currentTarget }: { readonly currentTarget: HTMLElement }) => {
    currentTarget.title = exactTime(at)
  },
})
export const exactTime = (at: number): string => whole().format(at)

export const isToday = (at: number, now: number = Date.now()): boolean =>
  new Date(at).toDateString() === new Date(now).toDateString()

/** The clock for today, else the day too. */
export function shortTime(at: number, now: number = Date.now()): string {
  return isToday(at, now) ? shortClock(at) : `${dayName().format(at)}, ${shortClock(at)}`
}

/** The same after a verb: `at 21:25`, `on Tue, 3 Nov, 21:25`. */
export const whenText = (at: number, now: number = Date.now()): string =>
  `${isToday(at, now) ? 'at' : 'on'} ${shortTime(at, now)}`

export const count = (n: number): string => (n < 1_000 ? String(n) : number().format(n))
export const many = (n: number, one: string, more = `${one}s`): string => `${count(n)} ${n === 1 ? one : more}`
