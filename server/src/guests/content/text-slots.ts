import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import { FreeNames, withoutMarks } from './redact-json.ts'

/** A text in a JSON value that can be replaced. `name` is that of its field, which says something about the value. */
export type TextSlot = { readonly name: string; readonly text: string; put(text: string): void }

type Container = Json[] | Record<string, Json>
/** New field names, by the object that has them. */
type Renames = Map<Record<string, Json>, Map<string, string>>

/**
 * A copy of a JSON value whose texts are handed out one at a time, so that the caller can pause between two. Field names are
 * texts too. Not recursive, because a tool server controls how deep the value is nested.
 */
export class TextSlots {
  private root: Json
  private readonly renames: Renames = new Map()

  private readonly kept: readonly string[]

  /** Texts in fields named in `kept` are not handed out. */
  constructor(value: Json, kept: readonly string[] = []) {
    this.root = value
    this.kept = kept
  }

  *slots(): Generator<TextSlot> {
    const open: { readonly container: Container; readonly name: string }[] = []
    const enter = (value: Json, name: string, put: (copy: Json) => void): TextSlot | undefined => {
      if (typeof value === 'string') return { name, text: value, put }
      if (typeof value === 'number')
        return { name, text: String(value), put: (text) => text !== String(value) && put(text) }
      if (typeof value !== 'object' || value === null) return undefined
      const container: Container = Array.isArray(value) ? [...(value as readonly Json[])] : { ...(value as JsonObject) }
      put(container)
      open.push({ container, name })
      return undefined
    }
    const first = enter(this.root, '', (copy) => (this.root = copy))
    if (first !== undefined) yield first
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { container, name } = next
      if (Array.isArray(container)) {
        for (let at = 0; at < container.length; at++) {
          const slot = enter(container[at] ?? null, name, (copy) => (container[at] = copy))
          if (slot !== undefined) yield slot
        }
        continue
      }
      const label = container['name'] ?? container['key']
      for (const key of Object.keys(container)) {
        yield {
          name: '',
          text: key,
          put: (to) => to !== key && this.rename(container, key, to),
        }
        if (this.kept.includes(key) && typeof container[key] === 'string') continue
        const own = key === 'value' && typeof label === 'string' ? label : key
        const slot = enter(container[key] ?? null, withoutMarks(own), (copy) => set(container, key, copy))
        if (slot !== undefined) yield slot
      }
    }
  }

  /** The copy, after every slot was handed out. */
  result(): Json {
    for (const [object, names] of this.renames) rename(object, names)
    return this.root
  }

  private rename(object: Record<string, Json>, from: string, to: string): void {
    const names = this.renames.get(object) ?? new Map<string, string>()
    this.renames.set(object, names.set(from, to))
  }
}

/** As an own property, even if it is called `__proto__`. */
function set(object: Record<string, Json>, key: string, value: Json): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

/** Keeps the order of the fields; two names that become equal remain two fields. */
function rename(object: Record<string, Json>, names: ReadonlyMap<string, string>): void {
  const entries = Object.entries(object)
  const free = new FreeNames()
  for (const [key] of entries) delete object[key]
  for (const [key, value] of entries) set(object, free.take(names.get(key) ?? key), value)
}
