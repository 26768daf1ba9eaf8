import type { Json } from '../../kernel/contract/json.ts'
import type { Problem } from '../../kernel/contract/problems.ts'
import type { OwnCredentials } from './find-own.ts'
import { OWN_CREDENTIAL_MARK, redactOwn, redactOwnJson } from './redact-own.ts'
import type { Offerings } from '../../kernel/ports/upstream.ts'
import { withResult } from '../../kernel/ports/maybe-promise.ts'
import { isSmallValue, SMALL_TEXT, type Scanner } from '../../kernel/ports/scanner.ts'
import { filterMessages, type AnswerFilter, type MessageFilter } from '../../kernel/attempt/filter-answers.ts'

/**
 * Removes the gate's own credentials from every message of a tool server: results, errors, progress and log lines, and from what is stored
 * of these. Independent of the operator's redaction settings.
 */
export function ownCredentialsFilter(own: () => OwnCredentials, scanner: Pick<Scanner, 'redactOwn'>): AnswerFilter {
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
export function redactOwnReplies(
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
  return { ...problem, about: redactedAs(problem.about, own) }
}

/** For values that are JSON only by their type. */
const redactedAs = <T>(value: T, own: () => OwnCredentials): T => redactOwnJson(value as Json, own()) as T
