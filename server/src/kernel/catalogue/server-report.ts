/** The state of one tool server, for operators. */
export type ServerReport = { readonly server: string; readonly state: string; readonly tools: number } & Readonly<
  Record<string, unknown>
>
