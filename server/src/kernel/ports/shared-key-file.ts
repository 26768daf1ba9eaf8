import type { Result } from '../contract/problems.ts'

export type SharedKeyFile = {
  readonly name: string
  /** Creates the file if there is none. */
  readonly make: (folder: string) => Promise<Result<unknown>>
}
