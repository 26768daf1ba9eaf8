const MOST = 64

/**
 * The texts that a shell makes of `{a,b}/c`, also of braces within braces. Undefined when there are more than anybody looks at. A text
 * without a list in braces is its own only variant.
 */
export function braceVariants(text: string): readonly string[] | undefined {
  let variants: readonly string[] = [text]
  for (let again = true; again;) {
    again = false
    const next: string[] = []
    for (const variant of variants) {
      // The innermost list first: it holds no braces of its own.
      const list = innermostList(variant)
      if (list === undefined) next.push(variant)
      else {
        again = true
        for (const part of variant.slice(list.open + 1, list.close).split(','))
          next.push(variant.slice(0, list.open) + part + variant.slice(list.close + 1))
      }
      if (next.length > MOST) return undefined
    }
    variants = next
  }
  return variants
}

/** The first list in braces that holds no braces of its own, found in one pass. */
function innermostList(text: string): { readonly open: number; readonly close: number } | undefined {
  let open = -1
  let hasComma = false
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '{') {
      open = at
      hasComma = false
    } else if (char === ',') hasComma = true
    else if (char === '}') {
      if (open !== -1 && hasComma) return { open, close: at }
      open = -1
    }
  }
  return undefined
}
