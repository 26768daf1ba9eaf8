/** How many commands per minute of one sender in a room are answered. */
export type SenderLimits = {
  /** `notify`: over the limit for the first time in this minute, so the sender is told; `silent`: over it again. */
  take(room: string, sender: string, now: number): 'yes' | 'notify' | 'silent'
}

const A_MINUTE = 60_000
const MOST = 20
const MOST_SENDERS = 10_000

export function openSenderLimits(): SenderLimits {
  const counts = new Map<string, { readonly since: number; used: number }>()
  return {
    take(room, sender, now) {
      const key = `${room} ${sender}`
      const known = counts.get(key)
      if (known === undefined || now - known.since >= A_MINUTE) {
        if (counts.size >= MOST_SENDERS) counts.clear()
        counts.set(key, { since: now, used: 1 })
        return 'yes'
      }
      known.used += 1
      if (known.used <= MOST) return 'yes'
      return known.used === MOST + 1 ? 'notify' : 'silent'
    },
  }
}
