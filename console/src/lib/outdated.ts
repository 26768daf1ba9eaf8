import { storeOf } from './store.ts'

/** The gate serves another console than the one in this page, so parts that were not loaded yet may be gone. */
export const outdated = storeOf(false)

const MAIN_SCRIPT = /<script\b[^>]*\bsrc="(\/assets\/[^"]+\.js)"/

/** Compares this page with what the gate serves now. */
export async function lookForUpdate(): Promise<void> {
  const own = document.querySelector('script[src^="/assets/"]')?.getAttribute('src')
  try {
    const answer = await fetch('/', { cache: 'no-store', credentials: 'omit' })
    const served = answer.ok ? MAIN_SCRIPT.exec(await answer.text())?.[1] : undefined
    if (served !== undefined && own !== served) outdated.set(true)
  } catch {
    // The gate does not answer; the stream notices that.
  }
}

/** Part of the console could not be loaded: its file was replaced, or the gate does not answer. */
export class NotLoaded extends Error {
  override name = 'NotLoaded'
}

/** A part of the console that is loaded when it is needed. */
export async function loaded<T>(part: Promise<T>): Promise<T> {
  try {
    return await part
  } catch (cause) {
    void lookForUpdate()
    throw new NotLoaded('a part of the console could not be loaded', { cause })
  }
}
