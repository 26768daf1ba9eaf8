import type { FlowRow, FlowRunRow, FlowShelves } from '../../contract/flow-rows.ts'
import type { FlowScope } from '../../contract/flows.ts'

/** Ids of rows. Vaults and flow ids hold neither `/` nor `@`. */
export const headId = (vault: string, flow_id: string): string => `${vault}/${flow_id}`
export const versionId = (vault: string, flow_id: string, version: string): string => `${vault}/${flow_id}@${version}`

/** One text per kind of listing: a page is a range of one index, however many rows there are. */
export function shelvesFor(row: FlowRow): FlowShelves {
  switch (row.is) {
    case 'head':
      return { shelf: flowShelf(row.vault_id, row.flow.scope) }
    case 'run':
      return runShelves(row)
    case 'proposal':
      return {
        shelf: proposalShelf(row.vault_id, row.scope),
        shelf_status: proposalShelf(row.vault_id, row.scope, row.state),
        shelf_flow: `proposal|${row.body.run_id}`,
      }
    default:
      return {}
  }
}

function runShelves({ vault_id, scope, flow_id, status }: FlowRunRow): FlowShelves {
  return {
    shelf: runShelf(vault_id, scope),
    shelf_status: runShelf(vault_id, scope, { status }),
    shelf_flow: runShelf(vault_id, scope, { flow_id }),
    shelf_flow_status: runShelf(vault_id, scope, { flow_id, status }),
  }
}

export const flowShelf = (vault: string, scope: FlowScope): string => `flow|${vault}|${scope}`
export const proposalShelf = (vault: string, scope: FlowScope, state?: string): string =>
  ['proposal', vault, scope, ...(state === undefined ? [] : [state])].join('|')

export type RunFilter = { readonly flow_id?: string | undefined; readonly status?: string | undefined }

export const runShelf = (vault: string, scope: FlowScope, { flow_id, status }: RunFilter = {}): string =>
  ['run', vault, scope, ...(flow_id === undefined ? [] : [flow_id]), ...(status === undefined ? [] : [status])].join(
    '|',
  )

/** The field of a row that holds `runShelf` of such a filter. */
export function runShelfField({ flow_id, status }: RunFilter): keyof FlowShelves {
  if (flow_id === undefined) return status === undefined ? 'shelf' : 'shelf_status'
  return status === undefined ? 'shelf_flow' : 'shelf_flow_status'
}
