import type { Json } from '../../kernel/contract/json.ts'
import type { OpenTextGuard } from '../../kernel/ports/text-guard.ts'
import { compileOwn } from './find-own.ts'
import { redactReplies, sensitiveTextFilter } from './redact-answers.ts'
import { ownCredentialsFilter, redactOwnReplies } from './redact-own-answers.ts'
import { redactOwn, redactOwnJson } from './redact-own.ts'
import { redactingOwn } from './redacting-own.ts'
import { openScanner } from './scanner/open-scanner.ts'

/** Own credentials, and what the operator's rules find, stay out of everything that people and tool servers read. */
export const openTextGuard: OpenTextGuard = (known) => {
  let own = compileOwn(known())
  const current = () => own
  return {
    refresh: () => void (own = compileOwn(known())),
    redact: (text) => redactOwn(text, own),
    redactAll: <T>(value: T) => redactOwnJson(value as Json, own) as T,
    open({ dlp }, { scanRules, traps }) {
      const scanner = redactingOwn(openScanner(scanRules, dlp), current, traps)
      const outputs = dlp.outputs === 'off' ? undefined : scanner
      return {
        judgement: { scanner, search: scanner },
        filters: [
          ownCredentialsFilter(current, scanner),
          ...(outputs === undefined ? [] : [sensitiveTextFilter(outputs)]),
        ],
        offerings: (offerings) => redactReplies(redactOwnReplies(offerings, current, scanner), outputs),
        close: () => scanner.close(),
      }
    },
  }
}
