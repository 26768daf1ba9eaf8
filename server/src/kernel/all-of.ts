/** All fields of a type that guests extend, as one: the ports that every contributor needs. */
export type AllOf<Needs> = [keyof Needs] extends [never]
  ? object
  : { [Who in keyof Needs]: (needs: Needs[Who]) => void }[keyof Needs] extends (all: infer All) => void
    ? All
    : never
