import type { Tool } from '../contract/tool.ts'

/** Writing a page of this many characters takes some milliseconds, during which calls wait. */
const MOST_CHARACTERS = 4_000_000

/** Measured once per tool: a changed definition makes a new object. */
const sizes = new WeakMap<Tool, number>()

function sizeOf(tool: Tool): number {
  const known = sizes.get(tool) ?? JSON.stringify(tool.row.admitted?.definition ?? tool.row.definition).length
  sizes.set(tool, known)
  return known
}

/** The tools from an offset that fit on one page, and where the next page begins. A list of ordinary size is one page. */
export function pageBySize(
  tools: readonly Tool[],
  from: number,
  most: number = Infinity,
): { readonly items: readonly Tool[]; readonly next?: number } {
  let characters = 0
  let to = from
  for (; to < tools.length && to - from < most; to += 1) {
    const tool = tools[to]
    characters += tool === undefined ? 0 : sizeOf(tool)
    if (characters > MOST_CHARACTERS && to > from) break
  }
  return { items: tools.slice(from, to), ...(to < tools.length ? { next: to } : {}) }
}
