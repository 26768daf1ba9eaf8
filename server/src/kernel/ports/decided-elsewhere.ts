/** For a node: where people decide about its calls, instead of here. */
export interface DecidedElsewhere {
  /** For messages to people. */
  readonly where: string
  /** Where a person decides about a request. `here` is its page at this gate. */
  linkTo(approval_id: string, here: string): { readonly url: string; readonly hub: string }
}
