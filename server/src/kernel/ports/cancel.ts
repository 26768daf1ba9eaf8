/**
 * Whether somebody still waits: the part of an AbortSignal that a call needs. Every AbortSignal fits, and a `CancelSwitch`, which is
 * created for each call, is much smaller.
 */
export type CancelSignal = {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** A signal and the function that triggers it. Each listener is called once. */
export class CancelSwitch implements CancelSignal {
  aborted = false
  /** Usually there is one listener, so a list is created only for the second. */
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

/** For APIs that accept only a real AbortSignal. */
export function abortSignalOf(cancel: CancelSignal): AbortSignal {
  if (cancel instanceof AbortSignal) return cancel
  if (cancel.aborted) return AbortSignal.abort()
  const controller = new AbortController()
  cancel.addEventListener('abort', () => controller.abort())
  return controller.signal
}
