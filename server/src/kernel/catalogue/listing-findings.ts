import { LISTING_SAYS, type ListingFinding } from '../contract/tool-bounds.ts'
import type { Tables } from '../ports/reads.ts'

/** A finding as operators read it. */
export type SaidFinding = ListingFinding & { readonly says: string }

export type ListingFindings = {
  of(server: string): readonly SaidFinding[]
  set(server: string, findings: readonly ListingFinding[]): void
}

/**
 * What was cut or left out of each server's latest list, including servers that have not listed anything since the gate started.
 */
export async function openListingFindings(
  tables: Pick<Tables, 'row'>,
  servers: readonly string[],
): Promise<ListingFindings> {
  const known = new Map<string, readonly ListingFinding[]>()
  for (const server of servers) {
    // An unreadable row prevents the server from registering tools, but not the gate from starting.
    const held = await tables.row('servers', server).catch(() => undefined)
    known.set(server, held?.row.findings ?? [])
  }
  return {
    of: (server) => (known.get(server) ?? []).map((finding) => ({ ...finding, says: LISTING_SAYS[finding.rule] })),
    set: (server, findings) => void known.set(server, findings),
  }
}
