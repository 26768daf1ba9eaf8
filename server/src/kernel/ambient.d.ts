/** What Node and browsers both have. The kernel is compiled without the types of either. */
interface AbortSignal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}
declare var AbortSignal: {
  prototype: AbortSignal
  new (): AbortSignal
  abort(): AbortSignal
  any(signals: readonly AbortSignal[]): AbortSignal
  timeout(ms: number): AbortSignal
}
declare class AbortController {
  readonly signal: AbortSignal
  abort(): void
}
declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>
  encodeInto(text: string, into: Uint8Array): { readonly read: number; readonly written: number }
}
declare function setImmediate(callback: () => void): unknown
declare class URL {
  constructor(text: string, base?: string)
  static parse(text: string): URL | null
  readonly origin: string
  readonly protocol: string
  readonly hostname: string
  readonly host: string
}
