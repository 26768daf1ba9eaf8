import type { NewCredential } from '../../kernel/identity/credentials.ts'
import type { Result } from '../../kernel/contract/problems.ts'

export type DemoGreeting = {
  /** Creates a key, as the operator. */
  readonly create: (wanted: NewCredential) => Promise<Result<{ readonly key: string }>>
  readonly url: string
  /** How this user starts `sluice`. */
  readonly command: string
}

/** What `sluice demo` has in addition to a gate. */
export type Demo = {
  /** Writes its folder, unless that has a configuration. Whether it wrote one. */
  readonly write: (folder: string) => boolean
  /** What a person reads when the gate listens. */
  readonly greet: (greeting: DemoGreeting) => Promise<string>
}

declare module '../../kernel/registries.ts' {
  interface Guest {
    readonly demo?: () => Promise<Demo>
  }
}
