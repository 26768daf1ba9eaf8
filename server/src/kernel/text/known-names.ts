const MOST = 1_000
const LONGEST = 64

/** What is known of the names of fields. Few names occur, and they recur with every call; but a caller may make up names. */
export class KnownNames<T> {
  private readonly known = new Map<string, T>()

  get(name: string): T | undefined {
    return this.known.get(name)
  }

  /** Not kept if the name is long, or if there are many. */
  set(name: string, value: T): T {
    if (name.length <= LONGEST && this.known.size < MOST) this.known.set(name, value)
    return value
  }
}
