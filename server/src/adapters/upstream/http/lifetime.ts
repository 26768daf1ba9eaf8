/** The end of a wire: decided once, and reported to everybody who waits. */
export type Lifetime = { readonly ended: Promise<string>; isUsable(): boolean; end(how: string): void }

export function createLifetime(onEnd: () => void): Lifetime {
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
