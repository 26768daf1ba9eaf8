export type Log = (level: 'info' | 'warn' | 'error', says: string, about?: Readonly<Record<string, unknown>>) => void
