/**
 * Whether somebody still waits. The part of an AbortSignal that a call needs: every AbortSignal is one, and one that is made for each
 * call (`CancelSwitch`) is much smaller.
 */
export type CancelSignal = {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** A signal together with the means to give it. Each listener is called once. */
export class CancelSwitch implements CancelSignal {
  aborted = false
  /** Usually one, so a list is made only for the second. */
  #first: (() => void) | undefined = undefined
  #others: (() => void)[] | undefined = undefined

  abort(): void {
    if (this.aborted) return
    this.aborted = true
    const [first, others] = [this.#first, this.#others]
    this.#first = undefined
    this.#others = undefined
    first?.()
    for (const listener of others ?? []) listener()
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.aborted) return
    if (this.#first === undefined) this.#first = listener
    else (this.#others ??= []).push(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    if (this.#first === listener) this.#first = undefined
    else this.#others = this.#others?.filter((one) => one !== listener)
  }
}

/** For what takes only the real one. */
export function abortSignalOf(cancel: CancelSignal): AbortSignal {
  if (cancel instanceof AbortSignal) return cancel
  if (cancel.aborted) return AbortSignal.abort()
  const controller = new AbortController()
  cancel.addEventListener('abort', () => controller.abort())
  return controller.signal
}
