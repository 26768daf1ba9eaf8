/** Writes one line to the log of the gate. */
export type Log = (level: 'info' | 'warn' | 'error', says: string, about?: Readonly<Record<string, unknown>>) => void
