import { setImmediate } from 'node:timers/promises'
import type { HiddenPlace } from '../../../kernel/contract/approval.ts'
import type { ToolResult } from '../../../kernel/contract/call.ts'
import type { Dlp } from '../section.ts'
import type { Json, JsonObject } from '../../../kernel/contract/json.ts'
import { refuse, type Result } from '../../../kernel/contract/problems.ts'
import { UNSCANNED, type ShownArgs } from '../../../kernel/contract/redaction.ts'
import { inlineScanner, redactNow, validateNow } from '../inline-scanner.ts'
import { hiddenArgs, hiddenPreview, runScanJob, type NamedText } from '../scan-job.ts'
import type { ScanRules } from '../scan-rules.ts'
import { isSmallValue, SMALL_TEXT, type RuleSet } from '../../../kernel/ports/scanner.ts'
import type { MaybePromise } from '../../../kernel/ports/runtime.ts'
import type { OwnCredentials } from '../find-own.ts'
import type { TextScanner } from '../text-scanner.ts'
import { SCAN_LIMITS, ScanThreads, type ScanLimits } from './scan-threads.ts'
import { TextSlots, type TextSlot } from '../text-slots.ts'

export type OpenScanner = TextScanner & { close(): Promise<void> }

/** Nothing in it needs an escape. */
const PRINTABLE = /^[\x20-\x7e]*$/

/** Small texts are searched synchronously, others on separate threads. */
export function openScanner(rules: ScanRules, dlp: Dlp, limits: ScanLimits = SCAN_LIMITS): OpenScanner {
  const threads = new ScanThreads(dlp, limits)
  const here = inlineScanner(rules)
  const isSmall = (text: string) => text.length <= SMALL_TEXT
  const shownLater = async (canonical_args: string): Promise<ShownArgs> => {
    const shown = await threads.run({ do: 'shown', canonical_args })
    return shown === 'unknown' ? hiddenArgs(canonical_args) : shown
  }
  const previewLater = async (preview: ToolResult): Promise<readonly HiddenPlace[]> => {
    const hidden = await threads.run({ do: 'preview', preview })
    return hidden === 'unknown' ? hiddenPreview(preview) : hidden
  }
  const redactLater = async <T extends Json>(value: T, set: RuleSet, kept: readonly string[] = []): Promise<T> => {
    const redact = async (texts: readonly NamedText[]) => {
      const found = await threads.run({ do: 'texts', texts, rules: set })
      return found === 'unknown' ? texts.map(() => `[REDACTED_${UNSCANNED}]`) : found
    }
    await setImmediate()
    return (await replaceTexts(value, kept, redact)) as T
  }
  const guardedLater = async (...[canonical_args, own, traps]: Parameters<TextScanner['guarded']>) => {
    const found = await threads.run({ do: 'guarded', canonical_args, known: own.known, traps })
    return found === 'unknown' ? here.guarded(canonical_args, own, traps) : found
  }
  const redactOwnLater = async <T extends Json>(value: T, own: OwnCredentials): Promise<T> => {
    const redact = async (texts: readonly NamedText[]) => {
      const redacted = await threads.run({ do: 'redact_own', texts, known: own.known })
      return redacted === 'unknown'
        ? here.redactOwn(
            texts.map(({ text }) => text),
            own,
          )
        : redacted
    }
    await setImmediate()
    return (await replaceTexts(value, [], redact)) as T
  }
  const visibleLater = async (text: string): Promise<string> => {
    const visible = await threads.run({ do: 'visible', text })
    return visible === 'unknown' ? hiddenArgs(text).args : visible.text
  }
  const validateLater = async (schema: JsonObject, key: string, value: Json): Promise<Result<void>> => {
    const checked = await threads.run({ do: 'validate', schema, key, value: JSON.stringify(value) })
    const why = 'the check could not be finished within the limits of time and size'
    return checked === 'unknown' ? refuse('call.args_invalid', { schema: 'unusable', why }) : checked
  }
  return {
    args: (canonical_args) =>
      isSmall(canonical_args)
        ? runScanJob({ do: 'args', canonical_args }, rules)
        : threads.run({ do: 'args', canonical_args }),
    shownArgs: (canonical_args): MaybePromise<ShownArgs> =>
      isSmall(canonical_args) ? runScanJob({ do: 'shown', canonical_args }, rules) : shownLater(canonical_args),
    hiddenInPreview: (preview) =>
      rules.outputs === undefined || isSmallValue(preview)
        ? runScanJob({ do: 'preview', preview }, rules)
        : previewLater(preview),
    redact<T extends Json>(value: T, set: RuleSet, kept?: readonly string[]): MaybePromise<T> {
      if (rules[set] === undefined) return value
      return isSmallValue(value) ? redactNow(value, set, rules, kept) : redactLater(value, set, kept)
    },
    guarded: (canonical_args, own, traps) =>
      isSmall(canonical_args) ? here.guarded(canonical_args, own, traps) : guardedLater(canonical_args, own, traps),
    redactOwn: <T extends Json>(value: T, own: OwnCredentials): MaybePromise<T> =>
      isSmallValue(value) ? here.redactOwn(value, own) : redactOwnLater(value, own),
    visible: (json) => (isSmall(json) || PRINTABLE.test(json) ? here.visible(json) : visibleLater(json)),
    validate(schema, key, value): MaybePromise<Result<void>> {
      const brief = validateNow(schema, key, value)
      return brief === 'takes_long' ? validateLater(schema, key, value) : brief
    },
    close: () => threads.close(),
  }
}

/** How much is sent to another thread at once: little enough that serializing it does not block the event loop. */
const MOST_CHARS = 65_536
const MOST_TEXTS = 1_000

/**
 * Replaces every text of a large value with the result of `replace`, some texts at a time. The event loop may run between two
 * parts. Texts in fields named in `kept` stay unchanged.
 */
async function replaceTexts(
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
