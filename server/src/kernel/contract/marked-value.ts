/** The value of a piece, and what can mislead about it: those are the gate's own words, so they are shown beside the value and not as a part of it. */
export function valueAndMark({ text, mark }: { readonly text: string; readonly mark?: string | undefined }): {
  readonly value: string
  readonly mark?: string
} {
  const end = ` ⟨${mark ?? ''}⟩`
  return mark !== undefined && text.endsWith(end) ? { value: text.slice(0, -end.length), mark } : { value: text }
}
