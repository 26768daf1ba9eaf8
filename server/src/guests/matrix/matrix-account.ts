import type { MatrixConnection } from './matrix-connection.ts'

/** One user at a homeserver. */
export type MatrixAccount = {
  /** Logs in on first use, and again after a failure or when the homeserver ended the session. */
  session(): Promise<MatrixConnection>
  close(): Promise<void>
}

export function matrixAccount(open: () => Promise<MatrixConnection>): MatrixAccount {
  let opened: Promise<MatrixConnection> | undefined
  const session = () => {
    opened ??= open().then(
      (one) => {
        one.onEnded(() => (opened = undefined))
        return one
      },
      (error: unknown) => {
        opened = undefined
        throw error
      },
    )
    return opened
  }
  return {
    session,
    async close() {
      await (await opened?.catch(() => undefined))?.close()
    },
  }
}
