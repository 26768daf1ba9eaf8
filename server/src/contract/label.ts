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
  /** The user and the thread, as one key (`labelSession`). */
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
 * One session, whichever of the user's own callers takes part: an agent's actions are licensed by what its user says in the same
 * thread.
 */
export function labelSession(user: string, thread: string): string {
  if (user === last.user && thread === last.thread) return last.name
  const name = JSON.stringify([user, thread])
  last = { user, thread, name }
  return name
}

/** A call asks for the same name several times in a row. */
let last = { user: '', thread: '', name: '["",""]' }

/** The session name for the calls whose output an artifact is. No real session has it: their names have two parts. */
export function artifactSources(user: string, digest: string): string {
  return JSON.stringify([user, digest, 'artifact'])
}

/** The user of a session, by its name. */
export function userOfSession({ session }: Pick<LabelRow, 'session'>): string {
  const [user] = JSON.parse(session) as readonly unknown[]
  return typeof user === 'string' ? user : ''
}

export function isLabelOf({ session, of_user }: Pick<LabelRow, 'session' | 'of_user'>, user: string): boolean {
  return of_user === user || session.startsWith(`[${JSON.stringify(user)},`)
}
