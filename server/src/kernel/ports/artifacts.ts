import type { Sha256 } from '../contract/ids.ts'

/** Content-addressed output, per owner. A pointer is a digest and never becomes a path by concatenation. */
export interface Artifacts {
  /** Undefined if it could not be stored. `by_run`: the run whose call's output it is. */
  put(owner: string, text: string, by_run?: string): Promise<Sha256 | undefined>
  /** `expired`: it existed, and was deleted. */
  read(
    owner: string,
    digest: Sha256,
    from: number,
    length: number,
  ): Promise<{ text: string; size: number } | 'expired' | undefined>
  /** Deletes the texts of everything stored before that time, of every owner. Returns how many. */
  expire(before: number): Promise<number>
  /** Deletes the texts of everything an owner has. Returns how many. */
  erase(owner: string): Promise<number>
}
