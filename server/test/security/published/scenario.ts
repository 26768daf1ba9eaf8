/** An attack that takes more than one request. It starts gates of its own with the launcher it is given. */
export type Scenario = {
  readonly name: string
  readonly run: (launcher: string) => Promise<void>
}
