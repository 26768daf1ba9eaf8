import { describe, expect, test } from 'vitest'
import { inferEffects } from './infer-effects.ts'

const isRead = (name: string, description: string, ...params: string[]) =>
  inferEffects({
    name,
    description,
    inputSchema: { type: 'object', properties: Object.fromEntries(params.map((param) => [param, { type: 'string' }])) },
  }).effects.includes('read')

/** Each row is one class of wording in which an acting tool was taken for a read. */
describe('a reading verb in the name does not make a read if the description', () => {
  test.each([
    ['opens with an unknown verb', 'inspect_flow', 'Shunts water past the meter.'],
    ['repeats the unknown verb of the name', 'skim_balance', 'Skim the spare balance into a fund.'],
    ['opens with a verb that says nothing specific', 'inspect_parcel', 'Opens the parcel at the depot.'],
    ['opens with a verb that may act', 'identify_visitor', 'Prints a badge for the visitor.'],
    ['joins any verb that does not read', 'list_entries', 'Lists entries and shelves them.'],
    ['joins a verb without an article', 'view_board', 'Views the board and closes tasks without an owner.'],
    ['joins a verb after a clause', 'check_class', 'Checks who is here and marks the others absent.'],
    ['adds a relative clause', 'view_terms', 'Views the terms, which signs them for the company.'],
    ['adds a gerund', 'list_tokens', 'Lists tokens, rotating those that are old.'],
    ['reaches people', 'report_progress', 'Tells stakeholders how it goes.'],
    ['has somebody act', 'fetch_bags', 'Has the porter carry the bags.'],
    ['serves somebody', 'get_lunch', 'Gets you a sandwich.'],
    ['says that it is used up', 'view_note', 'Shows a note that can be viewed only once.'],
    ['says what happens to others', 'view_visit', 'Shows a visit; the host is notified.'],
    ['issues a credential', 'get_access', 'Returns temporary credentials for the bucket.'],
    ['names a means', 'verify_card', 'Verifies a card with a small charge.'],
    ['runs what is stored', 'query_saved', 'Runs any stored procedure.'],
    ['counts one thing', 'count_ballot', 'Counts a ballot for the candidate.'],
    ['names a mode that is only called read-only', 'read_mode', 'Puts the disk into read-only mode.'],
  ])('%s', (_, name, description) => expect(isRead(name, description)).toBe(false))

  test('converts something that is stored', () => {
    expect(isRead('convert_lead', 'Converts a lead to an account.', 'lead_id')).toBe(false)
    expect(isRead('convert_units', 'Converts a length from one unit to another.', 'value', 'from', 'to')).toBe(true)
  })

  test('passes on what it read, by its name', () => {
    expect(isRead('summarize_day_to_channel', 'Summarises the day.')).toBe(false)
    expect(isRead('describe_to_text', 'Describes an image.')).toBe(true)
  })
})

describe('a read stays one if its description', () => {
  test.each([
    ['opens with a plural', 'get_timeline', 'Posts of the people a user follows.'],
    ['opens with a plural and a preposition', 'get_results', 'Votes per option of a poll.'],
    ['opens with a noun and a clause', 'get_runtime', 'Hours a machine has run.'],
    ['asks a question', 'get_permissions', 'Which files a user may change or delete.'],
    ['joins nouns', 'list_people', 'Lists users and groups that can sign in.'],
    ['joins another reading verb', 'find_gaps', 'Finds gaps and shows them by week.'],
    ['says that nothing is changed', 'lint_page', 'Lints a page. Files are not changed.'],
  ])('%s', (_, name, description) => expect(isRead(name, description)).toBe(true))
})
