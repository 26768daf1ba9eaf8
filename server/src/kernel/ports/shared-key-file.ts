import type { Result } from '../contract/problems.ts'

declare module '../registries.ts' {
  interface Guest {
    /** A file in the folder of keys that every node of a store has. */
    readonly sharedKeyFile?: SharedKeyFile
  }
}

export type SharedKeyFile = {
  readonly name: string
  /** Creates the file if there is none. */
  readonly make: (folder: string) => Promise<Result<unknown>>
}
