/** The end of a wire: decided once, and reported to everybody who waits. */
export type Life = { readonly ended: Promise<string>; isUsable(): boolean; end(how: string): void }

export function openLife(onEnd: () => void): Life {
  const { promise: ended, resolve } = Promise.withResolvers<string>()
  let usable = true
  return {
    ended,
    isUsable: () => usable,
    end(how) {
      if (!usable) return
      usable = false
      resolve(how)
      onEnd()
    },
  }
}
