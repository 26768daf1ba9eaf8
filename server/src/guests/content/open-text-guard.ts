import type { Json } from '../../kernel/contract/json.ts'
import type { OpenTextGuard } from '../../kernel/ports/text-guard.ts'
import { compileOwn, type OwnCredentials } from './find-own.ts'
import { redactReplies, sensitiveTextFilter } from './redact-replies.ts'
import { redactOwn, redactOwnJson, OWN_CREDENTIAL_MARK } from './redact-own.ts'
import { redactingOwn } from './redacting-own.ts'
import { openScanner } from './scanner/open-scanner.ts'
import { aboutWith, type Problem } from '../../kernel/contract/problems.ts'
import type { Offerings } from '../../kernel/ports/upstream.ts'
import { withResult } from '../../kernel/ports/maybe-promise.ts'
import { isSmallValue, SMALL_TEXT, type Scanner } from '../../kernel/ports/scanner.ts'
import { filterMessages, type ReplyFilter, type MessageFilter } from '../../kernel/attempt/filter-replies.ts'

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

/**
 * Removes the gate's own credentials from every message of a tool server: results, errors, progress and log lines, and from what is stored
 * of these. Independent of the operator's redaction settings.
 */
function ownCredentialsFilter(own: () => OwnCredentials, scanner: Pick<Scanner, 'redactOwn'>): ReplyFilter {
  return {
    ...ownMessagesFilter(own),
    answer(answer) {
      if (answer.is === 'answered')
        return withResult(scanner.redactOwn(answer.result), (result) =>
          result === answer.result ? answer : { ...answer, result },
        )
      if (answer.is === 'rejected')
        return withResult(scanner.redactOwn(answer.error), (error) => ({ ...answer, error }))
      return { ...answer, problem: redactedProblem(answer.problem, own) }
    },
  }
}

/** The same for resources, prompts and completions. */
function redactOwnReplies(
  offerings: Offerings,
  own: () => OwnCredentials,
  scanner: Pick<Scanner, 'redactOwn'>,
): Offerings {
  const filters = [ownMessagesFilter(own)]
  return {
    ...offerings,
    async ask(question) {
      const reply = await offerings.ask({ ...question, ...filterMessages(question, filters) })
      if (reply.is === 'answered') return { ...reply, result: await scanner.redactOwn(reply.result) }
      if (reply.is === 'rejected') return { ...reply, error: await scanner.redactOwn(reply.error) }
      return { ...reply, problem: redactedProblem(reply.problem, own) }
    },
  }
}

/** Searched synchronously, so that messages stay in order; longer ones are not passed on. */
function ownMessagesFilter(own: () => OwnCredentials): MessageFilter {
  const clean = (text: string) => (text.length > SMALL_TEXT ? OWN_CREDENTIAL_MARK : redactOwn(text, own()))
  return {
    progress: (progress) =>
      progress.message === undefined ? progress : { ...progress, message: clean(progress.message) },
    logLine: (line) => (isSmallValue(line) ? redactOwnJson(line, own()) : { data: OWN_CREDENTIAL_MARK }),
  }
}

function redactedProblem(problem: Problem, own: () => OwnCredentials): Problem {
  return aboutWith(problem, redactedAs(problem.about, own))
}

/** For values that are JSON only by their type. */
const redactedAs = <T>(value: T, own: () => OwnCredentials): T => redactOwnJson(value as Json, own()) as T
