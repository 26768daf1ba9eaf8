import { sessionIdentity, type CallerNames } from '../contract/caller-identity.ts'

/** Where a text came from. */
export type LabelSource = {
  /** The call whose answer it is; absent if it came without a call. */
  readonly call?: string
  readonly server?: string
  /** The tool's id, the resource's URI or the prompt's name; for words, who sent them. */
  readonly name?: string
  /** The digest of a stored output that was read in a session other than its call's. Its text is the artifact's. */
  readonly artifact?: string
  /** The request whose preview it is, read in a session other than its own. */
  readonly approval?: string
}

/**
 * Something that entered a session. Rows are only ever added, each under its own id, so no commit that adds one can lose to
 * another. The answer of a call is in the call's row and is not copied: `source.call` leads to it.
 */
export type LabelRow = {
  readonly v: 1
  readonly label_id: string
  /** For a volatile run's session: where the text is. */
  readonly in_memory?: string
  /** The caller and the thread, as one key (`labelSession`). */
  readonly session: string
  readonly at: number
  readonly kind: 'words' | 'output' | 'resource' | 'prompt' | 'completion' | 'log' | 'preview' | 'text'
  readonly source: LabelSource
  /** For words: `user` if the user's own credential or a host that is trusted to report its user's words sent them, otherwise `claimed`. */
  readonly trust?: 'user' | 'claimed'
  /** The text itself, if no other row contains it. Redacted like every stored output. */
  readonly text?: string
  /** The day it was added, counted from 1970, as long as its text is kept. */
  readonly ended_day?: string
  /** For the source of an artifact (`artifactSources`): the session that its call belongs to. */
  readonly first_session?: string
  /** The user whose text it is, if that is not the user of the session. */
  readonly of_user?: string
}

/**
 * One session of one caller. Threads are named by those who use them, so another caller of the same user has a session of its own under
 * the same name: it neither licenses what this one does nor taints it.
 */
export function labelSession({ id, user }: CallerNames, thread: string): string {
  if (id === last.id && user === last.user && thread === last.thread) return last.name
  const name = sessionIdentity({ id, user }, thread)
  last = { id, user, thread, name }
  return name
}

/** A call asks for the same name several times in a row. */
let last = { id: '', user: '', thread: '', name: '["","",""]' }

/** The session name for the calls whose output an artifact is. No real session has it: ids of callers contain a colon. */
export function artifactSources(user: string, digest: string): string {
  return JSON.stringify(['artifact', user, digest])
}

/** The user and the thread of a session, by its name; of `artifactSources`, the user and the digest. */
export function partsOfSession({ session }: Pick<LabelRow, 'session'>): {
  readonly user: string
  readonly thread: string
} {
  const [, user, thread] = JSON.parse(session) as readonly unknown[]
  return { user: typeof user === 'string' ? user : '', thread: typeof thread === 'string' ? thread : '' }
}

export function isLabelOf(label: Pick<LabelRow, 'session' | 'of_user'>, user: string): boolean {
  return label.of_user === user || partsOfSession(label).user === user
}
