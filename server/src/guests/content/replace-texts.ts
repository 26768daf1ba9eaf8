import type { Json } from '../../kernel/contract/json.ts'
import { TextSlots, type TextSlot } from './text-slots.ts'
import type { NamedText } from './scan-job.ts'

/** How much is sent to another thread at once: little enough that serializing it does not block the event loop. */
const MOST_CHARS = 65_536
const MOST_TEXTS = 1_000

/**
 * Replaces every text of a large value with the result of `replace`, some texts at a time. The event loop may run between two
 * parts. Texts in fields named in `kept` stay unchanged.
 */
export async function replaceTexts(
  value: Json,
  kept: readonly string[],
  replace: (texts: readonly NamedText[]) => Promise<readonly string[]>,
): Promise<Json> {
  const tree = new TextSlots(value, kept)
  let batch: TextSlot[] = []
  let chars = 0
  let isSame = true
  const flush = async () => {
    const found = await replace(batch.map(({ name, text }) => ({ name, text })))
    batch.forEach((slot, at) => {
      const text = found[at] ?? slot.text
      if (text === slot.text) return
      isSame = false
      slot.put(text)
    })
    batch = []
    chars = 0
  }
  for (const slot of tree.slots()) {
    if (chars + slot.text.length > MOST_CHARS || batch.length === MOST_TEXTS) await flush()
    batch.push(slot)
    chars += slot.text.length
  }
  await flush()
  return isSame ? value : tree.result()
}
