/** The notes of the dying gate run without a question. */
export const FLOW_POLICY =
  'rules: [{ id: again, effect: allow, match: { tool: book__note_again }, says: harmless and repeatable }]'
