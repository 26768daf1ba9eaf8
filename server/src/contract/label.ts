/** Where a text came from. */
export type LabelSource = {
  /** The call whose answer it is; absent for what came without a call. */
  readonly call?: string
  readonly server?: string
  /** The tool's id, the resource's address or the prompt's name; of words, who sent them. */
  readonly name?: string
}

/**
 * Something that entered a session. Rows are only ever added, each under an id of its own, so no commit that adds one can lose to
 * another. The answer of a call stands in the call's row and is not copied: `source.call` leads to it.
 */
export type LabelRow = {
  readonly v: 1
  readonly label_id: string
  /** Of a volatile run's session: where the text is. */
  readonly in_memory?: string
  /** The user and the thread, as one text (`labelSession`). */
  readonly session: string
  readonly at: number
  readonly kind: 'words' | 'output' | 'resource' | 'prompt' | 'completion' | 'log' | 'preview'
  readonly source: LabelSource
  /** Of words: `user` when the user's own credential or a host that speaks for its user sent them, else `claimed`. */
  readonly trust?: 'user' | 'claimed'
  /** The text itself, where no other row holds it. Redacted like every stored output. */
  readonly text?: string
  /** The day it was added, counted from 1970, as long as its text is kept. */
  readonly ended_day?: string
}

/** One session, whoever of the user's own callers takes part: an agent's acts are licensed by what its user says in the same thread. */
export function labelSession(user: string, thread: string): string {
  return JSON.stringify([user, thread])
}

export function isLabelOf({ session }: Pick<LabelRow, 'session'>, user: string): boolean {
  return session.startsWith(`[${JSON.stringify(user)},`)
}
