import { isJsonObject, type Json } from '../../kernel/contract/json.ts'
import type { Tool } from '../../kernel/contract/tool.ts'
import { splitWords } from '../../kernel/text/split-words.ts'

/** Words in a tool name that mean it processes everything below a folder. */
const THROUGH = new Set(
  `search find grep glob tree walk recursive recursively all multiple archive zip tar compress pack copy cp clone backup sync
  mirror upload index scan crawl count size du export snapshot`.split(/\s+/),
)
/** Words that mean it removes a folder or changes its permissions, alone or with a word for files. */
const TAKES = new Set(
  'move mv rename delete remove rm rmdir trash unlink erase purge wipe shred chmod chown'.split(' '),
)
const ON_DISK = new Set(
  'file files folder folders directory directories dir path paths tree item items entry entries'.split(' '),
)

/** What a tool does to everything below a folder. `delete_branch` does not remove a folder, but may do much below it. */
export type TreeUse = 'takes' | 'goes through' | 'neither'

export function treeUse(tool: Tool, args: Json): TreeUse {
  const { name } = tool.row.definition
  const words = splitWords(name)
  const isTaking = words.some((word) => TAKES.has(word))
  if (isTaking && words.every((word) => TAKES.has(word) || ON_DISK.has(word))) return 'takes'
  const isThorough = isTaking || tool.effects.includes('destructive') || words.some((word) => THROUGH.has(word))
  return isThorough || isRecursive(args) ? 'goes through' : 'neither'
}

/** `recursive: true`, `depth: 3`. */
function isRecursive(args: Json): boolean {
  if (!isJsonObject(args)) return false
  return Object.entries(args).some(
    ([key, value]) => /recurs|depth|subfolder|subdir/i.test(key) && value !== false && value !== 0 && value !== null,
  )
}
