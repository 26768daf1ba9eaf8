/** Two of three people decide about notes. */
export const ROUTED = {
  config: {
    approvals: {
      groups: { editors: ['ada', 'bob', 'cy'] },
      routes: [{ id: 'notes', match: { tool: 'book__note' }, group: 'editors', people: 2 }],
    },
  },
}
