/** A piece of an argument: literal text, a parameter's value, or the condition that a boolean parameter is true. */
export type Part =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'value'; readonly name: string }
  | { readonly is: 'when'; readonly name: string }

const PIECE = /\{\{|\}\}|\{(\??)([A-Za-z_][A-Za-z0-9_]*)\}|[^{}]+/y

/** The pieces of a template, or undefined if its braces are invalid. */
export function partsOf(template: string): readonly Part[] | undefined {
  const parts: Part[] = []
  const pieces = new RegExp(PIECE)
  while (pieces.lastIndex < template.length) {
    const found = pieces.exec(template)
    if (found === null) return undefined
    const [text, asks, name] = found
    if (name !== undefined) parts.push({ is: asks === '?' ? 'when' : 'value', name })
    else parts.push({ is: 'text', text: text === '{{' ? '{' : text === '}}' ? '}' : text })
  }
  return parts
}

/** The names of the parameters in a template. */
export const placeholdersIn = (template: string): readonly string[] =>
  (partsOf(template) ?? []).flatMap((part) => (part.is === 'text' ? [] : [part.name]))
