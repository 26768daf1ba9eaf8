const MINUTE = 60_000
const formats = new Map<string, Intl.DateTimeFormat | undefined>()

/** How many minutes a time zone is ahead of UTC at a given time; undefined for a zone that this system does not know. */
export function zoneOffset(zone: string, at: number): number | undefined {
  if (zone === 'UTC') return 0
  if (!formats.has(zone)) formats.set(zone, formatOf(zone))
  const parts = formats.get(zone)?.formatToParts(at)
  if (parts === undefined) return undefined
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value)
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'))
  return Math.round((local - Math.floor(at / MINUTE) * MINUTE) / MINUTE)
}

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    })
  } catch {
    return undefined
  }
}
