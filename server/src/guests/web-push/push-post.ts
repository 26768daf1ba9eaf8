const ANSWER_MS = 5_000

/** Posts to a push service. Redirects are not followed, because nobody allowed their target. */
export const pushPost =
  (stopping: AbortSignal) =>
  async (url: string, headers: Readonly<Record<string, string>>, body: Buffer): Promise<number | undefined> => {
    try {
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(ANSWER_MS)])
      const answer = await fetch(url, {
        method: 'POST',
        headers,
        body: new Uint8Array(body),
        redirect: 'manual',
        signal,
      })
      await answer.body?.cancel()
      return answer.status
    } catch {
      return undefined
    }
  }
