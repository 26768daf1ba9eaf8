import { toolText, type SearchableTool } from './searchable-tool.ts'
import { splitText } from './split-text.ts'
import { stem } from './stem.ts'

/** The words of a tool that have these terms, each in the form that comes first: `messag` is `messages`. */
export function wordForms(tool: SearchableTool, terms: ReadonlySet<string>): ReadonlyMap<string, string> {
  const forms = new Map<string, string>()
  for (const field of Object.values(toolText(tool)))
    for (const { text } of forms.size === terms.size ? [] : splitText(field)) {
      const term = stem(text)
      if (terms.has(term) && !forms.has(term)) forms.set(term, text)
    }
  return forms
}
