import { useState } from 'react'
import type { Packet } from '../api/types.ts'
import { shownAsFields } from './packet-words.ts'

/** Which long texts of a request somebody has unfolded. */
export type Unfolding = {
  /** Those that nobody has unfolded yet. Until then the request cannot be approved. */
  readonly left: Packet['foldable']
  isOpen(id: string): boolean
  flip(id: string): void
}

/** An id names exactly one text, so what was unfolded stays known if another part of the request changes. */
export function useUnfolding(packet: Packet | undefined): Unfolding {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set())
  const isFolding = packet !== undefined && shownAsFields(packet) !== undefined
  return {
    left: isFolding ? packet.foldable.filter(({ id }) => !seen.has(id)) : [],
    isOpen: (id) => open.has(id),
    flip(id) {
      const next = new Set(open)
      if (!next.delete(id)) next.add(id)
      setOpen(next)
      setSeen(new Set(seen).add(id))
    },
  }
}

/** What an approval repeats of a request that was shown whole. */
export const unfoldedOf = ({ foldable }: Pick<Packet, 'foldable'>): { readonly unfolded?: string[] } =>
  foldable.length === 0 ? {} : { unfolded: foldable.map(({ id }) => id) }
