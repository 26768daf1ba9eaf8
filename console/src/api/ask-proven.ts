import { storeOf } from '../lib/store.ts'
import { ask } from './client.ts'
import { codeOf } from './problem.ts'

export type AskedProof = {
  readonly method: 'POST' | 'DELETE'
  readonly path: string
  readonly json: object
  readonly onDone: (answer: unknown) => void
  readonly onRefused: (error: unknown) => void
}

/** The request that waits for the person's proof, if any: the proof dialog asks for it and sends the request again. */
export const askedProof = storeOf<AskedProof | undefined>(undefined)

const NEEDED: readonly string[] = ['approval.passphrase_needed', 'approval.passkey_needed']

/** One request that gives permission in the person's name. If the gate requires their proof, a dialog asks for it. */
export async function askProven<T>(
  path: string,
  { method, json }: { readonly method: 'POST' | 'DELETE'; readonly json: object },
): Promise<T> {
  try {
    return await ask<T>(path, { method, json })
  } catch (error) {
    if (!NEEDED.includes(codeOf(error))) throw error
    return new Promise<T>((resolve, reject) => {
      const onDone = (answer: unknown) => resolve(answer as T)
      askedProof.set({ method, path, json, onDone, onRefused: (why) => reject(why ?? error) })
    })
  }
}
