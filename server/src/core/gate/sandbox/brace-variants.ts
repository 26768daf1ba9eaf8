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
      const list = /\{([^{}]*,[^{}]*)\}/.exec(variant)
      if (list === null) next.push(variant)
      else {
        again = true
        for (const part of (list[1] ?? '').split(','))
          next.push(variant.slice(0, list.index) + part + variant.slice(list.index + list[0].length))
      }
      if (next.length > MOST) return undefined
    }
    variants = next
  }
  return variants
}
