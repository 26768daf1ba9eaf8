import type { HiddenPlace } from '../../contract/approval.ts'
import type { ToolResult } from '../../contract/call.ts'
import type { Config } from '../../contract/config.ts'
import type { Json } from '../../contract/json.ts'
import type { ShownArgs } from '../../contract/redaction.ts'
import { redactNow } from '../../commands/scanning/inline-scanner.ts'
import { redactLarge } from '../../commands/scanning/redact-large.ts'
import { hiddenArgs, hiddenPreview, runScanJob } from '../../commands/scanning/scan-job.ts'
import type { ScanRules } from '../../commands/scanning/scan-rules.ts'
import { isSmallValue, SMALL_TEXT, type RuleSet, type Scanner, type Soon } from '../../commands/scanning/scanner.ts'
import { SCAN_LIMITS, ScanThreads, type ScanLimits } from './scan-threads.ts'

export type OpenScanner = Scanner & { close(): Promise<void> }

/** Small texts are searched at once, others on threads of their own. */
export function openScanner(rules: ScanRules, dlp: Config['dlp'], limits: ScanLimits = SCAN_LIMITS): OpenScanner {
  const threads = new ScanThreads(dlp, limits)
  const isSmall = (text: string) => text.length <= SMALL_TEXT
  const shownLater = async (canonical_args: string): Promise<ShownArgs> => {
    const shown = await threads.run({ do: 'shown', canonical_args })
    return shown === 'unknown' ? hiddenArgs(canonical_args) : shown
  }
  const previewLater = async (preview: ToolResult): Promise<readonly HiddenPlace[]> => {
    const hidden = await threads.run({ do: 'preview', preview })
    return hidden === 'unknown' ? hiddenPreview(preview) : hidden
  }
  const later = async <T extends Json>(value: T, set: RuleSet, kept: readonly string[] = []): Promise<T> =>
    (await redactLarge(value, kept, (texts) => threads.run({ do: 'texts', texts, rules: set }))) as T
  return {
    args: (canonical_args) =>
      isSmall(canonical_args)
        ? runScanJob({ do: 'args', canonical_args }, rules)
        : threads.run({ do: 'args', canonical_args }),
    shownArgs: (canonical_args): Soon<ShownArgs> =>
      isSmall(canonical_args) ? runScanJob({ do: 'shown', canonical_args }, rules) : shownLater(canonical_args),
    hiddenInPreview: (preview) =>
      rules.outputs === undefined || isSmallValue(preview)
        ? runScanJob({ do: 'preview', preview }, rules)
        : previewLater(preview),
    redact<T extends Json>(value: T, set: RuleSet, kept?: readonly string[]): Soon<T> {
      if (rules[set] === undefined) return value
      return isSmallValue(value) ? redactNow(value, set, rules, kept) : later(value, set, kept)
    },
    close: () => threads.close(),
  }
}
