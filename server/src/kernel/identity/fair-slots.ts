export type SlotLimits = {
  /** How much of the work is in progress at once, in total and for one place. */
  readonly at_once: number
  readonly per_place: number
  /** How much of it waits. */
  readonly waiting: number
  readonly waiting_per_place: number
}

export type FairSlots = {
  /** `busy`: too many others wait, and nothing was done. */
  run<T>(place: string, work: () => Promise<T>): Promise<T | 'busy'>
}

type Start = (word: 'start' | 'busy') => void
type Place = { running: number; readonly waiting: Start[] }

/**
 * Slots for work that anybody can cause. Places take turns, so one that sends much waits for itself, and the others do not wait for it.
 * INVARIANT: what runs and what waits is bounded whatever is sent.
 */
export function fairSlots({ at_once, per_place, waiting, waiting_per_place }: SlotLimits): FairSlots {
  /** In the order of their turns. */
  const places = new Map<string, Place>()
  let allRunning = 0
  let allWaiting = 0

  function startNext(): void {
    for (const [name, place] of places) {
      if (allRunning >= at_once) return
      if (place.running >= per_place) continue
      const start = place.waiting.shift()
      if (start === undefined) continue
      places.delete(name)
      places.set(name, place)
      place.running += 1
      allRunning += 1
      allWaiting -= 1
      start('start')
    }
  }

  /** If there is no room, the place with the most waiting gives up its newest. Returns whether this one may wait. */
  function makeRoom(place: Place): boolean {
    if (place.waiting.length >= waiting_per_place) return false
    if (allWaiting < waiting) return true
    const crowd = [...places.values()].reduce(
      (most, one) => (one.waiting.length > most.waiting.length ? one : most),
      place,
    )
    if (crowd === place) return false
    crowd.waiting.pop()?.('busy')
    allWaiting -= 1
    return true
  }

  return {
    async run(name, work) {
      const place = places.get(name) ?? { running: 0, waiting: [] }
      if (!makeRoom(place)) return 'busy'
      places.set(name, place)
      const { promise, resolve } = Promise.withResolvers<'start' | 'busy'>()
      place.waiting.push(resolve)
      allWaiting += 1
      startNext()
      const word = await promise
      try {
        return word === 'busy' ? word : await work()
      } finally {
        if (word === 'start') {
          place.running -= 1
          allRunning -= 1
        }
        if (place.running === 0 && place.waiting.length === 0) places.delete(name)
        startNext()
      }
    },
  }
}
