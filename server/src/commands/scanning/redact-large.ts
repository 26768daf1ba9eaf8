import type { Json } from '../../contract/json.ts'
import { UNSCANNED } from '../../contract/redaction.ts'
import { TextSlots, type TextSlot } from '../../core/dlp/text-slots.ts'
import type { NamedText } from './scan-job.ts'

/** What goes to another thread at once: little enough that packing it holds nobody up. */
const MOST_CHARS = 65_536
const MOST_TEXTS = 1_000

/** Redacts a large value, some texts at a time. Between two parts everybody else has their turn. */
export async function redactLarge(
  value: Json,
  kept: readonly string[],
  search: (texts: readonly NamedText[]) => Promise<readonly string[] | 'unknown'>,
): Promise<Json> {
  const tree = new TextSlots(value, kept)
  let batch: TextSlot[] = []
  let chars = 0
  const flush = async () => {
    const found = await search(batch.map(({ name, text }) => ({ name, text })))
    batch.forEach((slot, at) => slot.put(found === 'unknown' ? `[REDACTED_${UNSCANNED}]` : (found[at] ?? slot.text)))
    batch = []
    chars = 0
  }
  for (const slot of tree.slots()) {
    if (chars + slot.text.length > MOST_CHARS || batch.length === MOST_TEXTS) await flush()
    batch.push(slot)
    chars += slot.text.length
  }
  await flush()
  return tree.result()
}
