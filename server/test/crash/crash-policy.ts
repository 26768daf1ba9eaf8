/** Direct calls run without a person, notes are held. */
export const CRASH_POLICY = `
rules:
  - { id: direct, effect: allow, match: { tool: [book__slow_note, book__note_again] }, says: runs at once }
  - { id: held, effect: ask, match: { tool: book__note }, says: a person decides }
  - { id: read-held, effect: ask, match: { tool: book__picture }, says: a person decides }
  - { id: kept, effect: allow, match: { tool: book__keep_note }, says: runs at once }
  - { id: kept-held, effect: ask, match: { tool: book__keep_note }, when: args.title == "held", says: a person decides }
`
