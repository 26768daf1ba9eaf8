import type { CancelSignal } from '../../../kernel/ports/cancel.ts'
import { randomBytes } from 'node:crypto'
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/contract/json.ts'

/** A person may need time to answer. */
const ANSWER_TIMEOUT_MS = 10 * 60_000

/** Questions to clients from before 2026-07-28, which answer in a separate message. */
export type Questions = {
  /** Undefined if the client refuses to answer or does not answer in time. */
  ask(
    clientKey: string,
    question: { readonly method: string; readonly params: JsonObject },
    send: (message: JsonObject) => void,
    signal: CancelSignal,
  ): Promise<JsonObject | undefined>
  /** Processes a message that answers a question. Returns false if this process is not waiting for it. */
  acceptAnswer(clientKey: string, id: Json | undefined, result: Json | undefined): boolean
  isOpen(clientKey: string, id: string): boolean
}

/** Whether this has the form of a question's id, of any node. */
export const isQuestionId = (id: Json | undefined): id is string =>
  typeof id === 'string' && /^sluice-[0-9a-f]{12}-\d{1,15}$/.test(id)

export function createQuestions(): Questions {
  const open = new Map<string, (result: Json | undefined) => void>()
  /** Unique over all nodes: two of them may ask one client at the same time. */
  const node = randomBytes(6).toString('hex')
  let asked = 0
  return {
    ask: (clientKey, { method, params }, send, signal) =>
      new Promise((resolve) => {
        const id = `sluice-${node}-${(asked += 1)}`
        const key = keyOf(clientKey, id)
        const settle = (result: Json | undefined) => {
          open.delete(key)
          clearTimeout(timer)
          signal.removeEventListener('abort', giveUp)
          resolve(isJsonObject(result) ? result : undefined)
        }
        const giveUp = () => settle(undefined)
        const timer = setTimeout(giveUp, ANSWER_TIMEOUT_MS).unref()
        signal.addEventListener('abort', giveUp)
        open.set(key, settle)
        send({ jsonrpc: '2.0', id, method, params })
      }),
    acceptAnswer(clientKey, id, result) {
      const settle = typeof id === 'string' ? open.get(keyOf(clientKey, id)) : undefined
      settle?.(result)
      return settle !== undefined
    },
    isOpen: (clientKey, id) => open.has(keyOf(clientKey, id)),
  }
}

const keyOf = (clientKey: string, id: string) => JSON.stringify([clientKey, id])
