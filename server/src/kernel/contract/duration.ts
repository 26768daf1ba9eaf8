const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const LONGEST_MS = 365 * UNITS.d

/** `30s`, `15m`, `8h`, `2d` in milliseconds; undefined for anything else, for zero, and for more than a year. */
export function durationMs(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const ms = Number(digits) * (UNITS[unit as keyof typeof UNITS] ?? 0)
  return ms > 0 && ms <= LONGEST_MS ? ms : undefined
}

/** `15m`, for people: in the largest unit without a fraction. */
export function spellDuration(ms: number): string {
  const units = (['d', 'h', 'm', 's'] as const).find((unit) => ms % UNITS[unit] === 0)
  return units === undefined ? `${Math.round(ms / 1000)}s` : `${ms / UNITS[units]}${units}`
}
