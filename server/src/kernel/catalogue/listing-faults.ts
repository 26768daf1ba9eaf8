import { LISTING_SAYS, type ListingFault } from '../contract/tool-bounds.ts'
import type { Tables } from '../ports/reads.ts'

/** A fault as operators read it. */
export type SaidFault = ListingFault & { readonly says: string }

export type ListingFaults = {
  of(server: string): readonly SaidFault[]
  set(server: string, findings: readonly ListingFault[]): void
}

/**
 * What was cut or left out of each server's latest list, including servers that have not listed anything since the gate started.
 */
export async function openListingFaults(
  tables: Pick<Tables, 'row'>,
  servers: readonly string[],
): Promise<ListingFaults> {
  const known = new Map<string, readonly ListingFault[]>()
  for (const server of servers) {
    // An unreadable row prevents the server from registering tools, but not the gate from starting.
    const held = await tables.row('servers', server).catch(() => undefined)
    known.set(server, held?.row.findings ?? [])
  }
  return {
    of: (server) => (known.get(server) ?? []).map((fault) => ({ ...fault, says: LISTING_SAYS[fault.rule] })),
    set: (server, findings) => void known.set(server, findings),
  }
}
