import { join, resolve } from 'node:path'

/** A tool server whose own log says what ran: `add` runs at once, `ask_add` is held, `add_again` may run twice, `look` only reads. */
export const loggedServer = (log: string) => ({
  command: process.execPath,
  args: [resolve(import.meta.dirname, '../tool-servers/logging.ts')],
  env: { LOG: log },
  timeout_ms: 2_000,
  tools: {
    add: { effects: ['write'] },
    add_again: { effects: ['write'], idempotent: true },
    ask_add: { effects: ['write'] },
    look: { effects: ['read'] },
  },
})

export const LOGGED_POLICY = {
  rules: [
    {
      id: 'adding',
      effect: 'allow',
      match: { tool: ['log__add', 'log__add_again', 'log__look'] },
      says: 'runs at once',
    },
    { id: 'asking', effect: 'ask', match: { tool: 'log__ask_add' }, says: 'a person decides' },
  ],
}

export const logIn = (folder: string): string => join(folder, 'tool.log')
