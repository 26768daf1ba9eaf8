import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { AUDIT_EVENTS, auditSentence, auditText } from './audit-events.ts'

const NAMES = [
  ...new Set(
    Object.values(AUDIT_EVENTS).flatMap((says) => [...says.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)),
  ),
]
const full = {
  actor: 'agent:helper',
  subject: Object.fromEntries(NAMES.map((name) => [name, `a ${name}`])),
  about: { code: 'tool.unknown', status: 'done', rule: 'too_many_tools', evaluation: 'passed' },
  outcome: 'not_stored',
  verdict: {
    effect: 'ask',
    evidence: [
      { effect: 'allow', says: 'fine' },
      { effect: 'ask', says: 'money moves' },
    ],
  },
}

test.each(Object.keys(AUDIT_EVENTS))(
  '`%s` is a whole sentence, with all that an entry can have and with nothing',
  (type) => {
    expect(auditText({ ...full, type })).toMatch(/^[A-Za-z][^[\]{}…]*[^.\s]$/)
    expect(auditText({ type, actor: 'agent:helper' })).toMatch(/^[A-Za-z…][^[\]{}]*[^.\s]$/)
  },
)

test.each([
  [{ type: 'call.held' }, 'A call of a tool by helper is held for approval: money moves'],
  [{ type: 'call.failed' }, 'A call of a tool by helper failed: no tool has this id'],
  [
    { type: 'gate.paused', actor: 'admin:ana', subject: { scope: 'all' }, about: { reason: '' } },
    'ana paused everything',
  ],
  [{ type: 'gate.unpaused', actor: 'trap', subject: { scope: 'caller:agent:helper' } }, 'trap resumed helper'],
  [{ type: 'agent.ended', actor: 'gate' }, 'Sluice ended an agent thread that is not stored'],
  [
    { type: 'servers.changed', subject: {}, about: { added: ['mail', 'crm'], changed: [], removed: [] } },
    'The configured servers changed; added: mail, crm',
  ],
  [{ type: 'login.started', actor: 'admin:local' }, 'The owner of the data folder logged in'],
  [
    { type: 'node.outcome', actor: 'node:berlin', subject: { tool: 'a__b' }, outcome: undefined },
    'The node berlin reported the outcome of a call of a__b',
  ],
  [{ type: 'future.thing', actor: 'agent:helper' }, 'future.thing by helper'],
  [{ type: 'constructor', actor: '' }, 'constructor by somebody unknown'],
])('%j says “%s”', (entry, says) => {
  expect(auditText({ ...full, ...entry })).toBe(says)
})

test('law: whatever is stored in an entry, it has a sentence', () => {
  const types = fc.constantFrom<unknown>(...Object.keys(AUDIT_EVENTS), '__proto__', null, 7)
  const any = fc.anything({ withNullPrototype: true })
  fc.assert(
    fc.property(types, any, any, any, any, any, (type, actor, subject, about, outcome, verdict) => {
      expect(auditSentence({ type, actor, subject, about, outcome, verdict }).length).toBeGreaterThan(0)
    }),
  )
})
