import type { DefinitionReview } from '../contract/definition-review.ts'
import type { ToolRow } from '../contract/tool.ts'
import { definitionDiff } from './definition.ts'

/** The admitted definition and the listed one, with every difference. */
export function reviewDefinition(row: ToolRow): DefinitionReview {
  const { admitted } = row
  return {
    tool_id: row.tool_id,
    server: row.server,
    status: statusOf(row),
    ...(admitted === undefined ? {} : { before: admitted }),
    after: { hash: row.definition_hash, definition: row.definition },
    changes: [...definitionDiff(admitted?.definition, row.definition)],
  }
}

function statusOf({ admitted, definition_hash, gone_at }: ToolRow): DefinitionReview['status'] {
  if (gone_at !== undefined) return 'gone'
  if (admitted === undefined) return 'new'
  return admitted.hash === definition_hash ? 'admitted' : 'changed'
}
