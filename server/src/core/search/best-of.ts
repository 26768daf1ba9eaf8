/** The `count` best of a list, best first; `before` is a strict order, so the answer does not depend on the list's order. */
export function bestOf<T>(items: readonly T[], count: number, before: (a: T, b: T) => boolean): T[] {
  const best: T[] = []
  for (const item of items) {
    const last = best[best.length - 1]
    if (last !== undefined && best.length >= count && !before(item, last)) continue
    let at = best.length
    while (at > 0 && before(item, best[at - 1] as T)) at -= 1
    best.splice(at, 0, item)
    if (best.length > count) best.pop()
  }
  return best
}
