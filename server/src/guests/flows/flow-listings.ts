import type { FlowRow, FlowRunRow, FlowListings } from './flow-rows.ts'
import type { FlowScope } from './flows.ts'

/** Row ids. Vaults and flow ids contain neither `/` nor `@`. */
export const headId = (vault: string, flow_id: string): string => `${vault}/${flow_id}`
export const versionId = (vault: string, flow_id: string, version: string): string => `${vault}/${flow_id}@${version}`

/** One key per kind of listing: a page is a range of one index, however many rows there are. */
export function listingsFor(row: FlowRow): FlowListings {
  switch (row.is) {
    case 'head':
      return { shelf: flowListing(row.vault_id, row.flow.scope) }
    case 'run':
      return runListings(row)
    case 'proposal':
      return {
        shelf: proposalListing(row.vault_id, row.scope),
        shelf_status: proposalListing(row.vault_id, row.scope, row.state),
        shelf_flow: `proposal|${row.body.run_id}`,
      }
    default:
      return {}
  }
}

function runListings({ vault_id, scope, flow_id, status }: FlowRunRow): FlowListings {
  return {
    shelf: runListing(vault_id, scope),
    shelf_status: runListing(vault_id, scope, { status }),
    shelf_flow: runListing(vault_id, scope, { flow_id }),
    shelf_flow_status: runListing(vault_id, scope, { flow_id, status }),
  }
}

export const flowListing = (vault: string, scope: FlowScope): string => `flow|${vault}|${scope}`
export const proposalListing = (vault: string, scope: FlowScope, state?: string): string =>
  ['proposal', vault, scope, ...(state === undefined ? [] : [state])].join('|')

export type FlowRunFilter = { readonly flow_id?: string | undefined; readonly status?: string | undefined }

export const runListing = (vault: string, scope: FlowScope, { flow_id, status }: FlowRunFilter = {}): string =>
  ['run', vault, scope, ...(flow_id === undefined ? [] : [flow_id]), ...(status === undefined ? [] : [status])].join(
    '|',
  )

/** The field of a row that contains the `runListing` of such a filter. */
export function runListingField({ flow_id, status }: FlowRunFilter): keyof FlowListings {
  if (flow_id === undefined) return status === undefined ? 'shelf' : 'shelf_status'
  return status === undefined ? 'shelf_flow' : 'shelf_flow_status'
}
