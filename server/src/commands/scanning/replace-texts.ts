import type { Json } from '../../contract/json.ts'
import { TextSlots, type TextSlot } from '../../core/dlp/text-slots.ts'
import type { NamedText } from './scan-job.ts'

/** What goes to another thread at once: little enough that packing it holds nobody up. */
const MOST_CHARS = 65_536
const MOST_TEXTS = 1_000

/**
 * A large value with every text replaced by what `replace` makes of it, some texts at a time. Between two parts everybody else has
 * their turn. Texts in fields called as in `kept` stay as they are.
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
