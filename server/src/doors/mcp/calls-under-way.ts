import type { RpcId } from './rpc.ts'

/** The requests in progress, so that a later message can cancel one. */
export type CallsUnderWay = {
  /** Remembers a request of this client until the returned function is called. */
  begin(speaker: string, id: RpcId, cancel: () => void): () => void
  /** Cancels the one request that this speaker made under this id. False when no such request is being answered here. */
  cancel(speaker: string, id: RpcId): boolean
}

export function createCallsUnderWay(): CallsUnderWay {
  const known = new Map<string, (() => void)[]>()
  return {
    begin(speaker, id, cancel) {
      const key = keyOf(speaker, id)
      const others = known.get(key)
      if (others === undefined) known.set(key, [cancel])
      else others.push(cancel)
      return () => {
        const left = known.get(key)?.filter((one) => one !== cancel) ?? []
        if (left.length === 0) known.delete(key)
        else known.set(key, left)
      }
    },
    cancel(speaker, id) {
      const meant = known.get(keyOf(speaker, id))
      // Two clients without sessions may share a key and use the same ids. It is not known which one was meant, so neither is cancelled.
      if (meant?.length === 1) meant[0]?.()
      return meant !== undefined
    },
  }
}

const keyOf = (speaker: string, id: RpcId) => JSON.stringify([speaker, id])
