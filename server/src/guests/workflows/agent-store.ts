import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import type { WorkflowFound } from './draft.ts'
import type { Tables } from '../../kernel/ports/reads.ts'

/** What the runs of one document share: a limited store of values by key. */
export type LoadPorts = { readonly tables: Pick<Tables, 'row'> }

export const valueId = (agent: string, key: string): string => `${agent} ${key}`

/** The values that a step requests, as far as they exist. */
export async function loadValues(
  { tables }: LoadPorts,
  agent: string,
  details: JsonObject,
): Promise<Required<Pick<WorkflowFound, 'loaded'>>> {
  const keys = Array.isArray(details['keys']) ? (details['keys'] as readonly Json[]).map(String) : []
  const found: [string, Json][] = []
  for (const key of keys) {
    const row = (await tables.row('agent_values', valueId(agent, key)))?.row
    if (row !== undefined) found.push([key, row.value])
  }
  return { loaded: Object.fromEntries(found) }
}
