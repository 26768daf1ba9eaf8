import type { DefinitionReview } from '../../../server/src/kernel/contract/definition-review.ts'
import { FieldDiff } from '../inbox/changes.tsx'

/** Both texts are the tool server's: data, never instructions. */
export function DefinitionDiff({ review }: { readonly review: DefinitionReview }) {
  const { before, after } = review
  if (before === undefined)
    return (
      <FieldDiff
        was="Nothing was admitted"
        now="The server says"
        fields={[
          { at: '/name', after: after.definition.name },
          ...(after.definition.description === undefined
            ? []
            : [{ at: '/description', after: after.definition.description }]),
          { at: '/inputs', after: JSON.stringify(after.definition.inputSchema, null, 2) },
        ]}
      />
    )
  return (
    <FieldDiff
      was="Admitted"
      now="The server says now"
      fields={review.changes.map(({ path, ...sides }) => ({ at: path, ...sides }))}
    />
  )
}
