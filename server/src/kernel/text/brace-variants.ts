const MOST = 64

/**
 * The texts that a shell expands `{a,b}/c` to, including nested braces. Undefined if there are more than the gate checks. A
 * text without a list in braces has one variant: itself.
 */
export function braceVariants(text: string): readonly string[] | undefined {
  let variants: readonly string[] = [text]
  for (let again = true; again;) {
    again = false
    const next: string[] = []
    for (const variant of variants) {
      // The innermost list first: it contains no braces itself.
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

/** The first list in braces that contains no braces, found in one pass. */
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
