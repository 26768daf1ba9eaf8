import type { Json } from '../../kernel/contract/json.ts'
import { editMembers, readJsonc } from '../../adapters/files/jsonc.ts'

/**
 * opencode runs every tool if a plugin is missing or does not load. So its settings deny all of them, and the plugin, once
 * loaded, restores the user's own permissions: without the plugin the model is offered no tool at all.
 */
const CLOSED = { '*': 'deny' }

export type ClosedSettings = {
  /** The settings with everything denied. Undefined if they already are, or cannot be edited. */
  readonly text?: string
  /** What the user permits. The plugin keeps it. */
  readonly own?: Json
}

/** `plugin`: the text of the installed plugin. */
export function closedSettings(before: string | undefined, plugin: string | undefined): ClosedSettings {
  const permission = permissionIn(before)
  if (isClosed(permission) && plugin !== undefined) return kept(ownIn(plugin))
  const text = before === undefined || before.trim() === '' ? '{}\n' : before
  try {
    const next = editMembers(text, { at: [], remove: [], add: { name: 'permission', value: CLOSED } })
    return { ...kept(permission), ...(next === undefined ? {} : { text: next }) }
  } catch {
    return kept(permission)
  }
}

/** Whether opencode's settings deny everything that no plugin permits. */
export const isClosedText = (text: string): boolean => isClosed(permissionIn(text))

const kept = (own: Json | undefined): ClosedSettings => (own === undefined ? {} : { own })

const isClosed = (permission: Json | undefined): boolean =>
  typeof permission === 'object' && permission !== null && '*' in permission && permission['*'] === 'deny'

function permissionIn(text: string | undefined): Json | undefined {
  try {
    const read: unknown = text === undefined || text.trim() === '' ? {} : readJsonc(text)
    return typeof read === 'object' && read !== null && 'permission' in read ? (read.permission as Json) : undefined
  } catch {
    return undefined
  }
}

function ownIn(plugin: string): Json | undefined {
  const [, line] = /^const own = (.+)$/m.exec(plugin) ?? []
  return line === undefined || line === 'undefined' ? undefined : (JSON.parse(line) as Json)
}
