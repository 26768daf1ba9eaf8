import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../kernel/contract/json.ts'
import type { ToolDefinition, ToolEffect } from '../../kernel/contract/tool.ts'
import { inferEffects } from './infer-effects.ts'
import { RESULT_NOUNS, VERB_LISTS } from '../../kernel/text/lexicon.ts'
import { someRuns } from '../../../test/some-of.ts'

const tool = (name: string, description = '', properties: JsonObject = {}): ToolDefinition => ({
  name,
  description,
  inputSchema: { type: 'object', properties },
})
const effectsOf = (name: string, description?: string, properties?: JsonObject): string =>
  inferEffects(tool(name, description, properties)).effects.join('+') || 'unknown'

describe('plain definitions', () => {
  test.each([
    ['get_issue', 'Get a specific issue', 'read'],
    ['listPullRequests', 'List pull requests in a repository', 'read'],
    ['storage-account-get', 'Retrieves details of an account', 'read'],
    ['acme_list_things', '', 'read'],
    ['order_status', 'Shows where an order is', 'read'],
    ['current_user', 'Get details about the user who owns the key', 'read'],
    ['panel_query', 'Executes a search query and returns matching rows', 'read'],
    ['create_issue', 'Create a new issue', 'write'],
    ['dashboard-create', 'Creates a dashboard', 'write'],
    ['issue_write', 'Create a new or update an existing issue', 'write'],
    ['delete_file', 'Delete a file', 'write+destructive'],
    ['drop-database', 'Removes the specified database', 'write+destructive'],
    ['find_and_replace', 'Finds text in files', 'write+destructive'],
    ['send_email', 'Sends an email', 'write+external'],
    ['add_comment', 'Add a comment to a card', 'write+external'],
    ['grant_role', 'Grants a role to a user', 'write+privileged'],
    ['execute_command', 'Execute a terminal command', 'write+privileged'],
    ['get_secret', 'Get the value of a secret', 'read+privileged'],
    ['list_secrets', 'List the names of secrets', 'read'],
    ['browser_navigate', 'Navigate to a URL', 'unknown'],
    ['browser_go_back', 'Go back to the previous page', 'read'],
    ['window_resize', 'Resize the window', 'read'],
    ['resize_disk', 'Resize a disk', 'write'],
    ['manage_rules', '', 'unknown'],
    ['frobnicate', 'Frobnicates the widget', 'unknown'],
  ])('%s (%s) is %s', (name, description, expected) => {
    expect(effectsOf(name, description)).toBe(expected)
  })
})

describe('descriptions', () => {
  test('if the name says nothing, the action is the first verb of the description', () => {
    expect(effectsOf('widgets', 'Fetches all widgets of a shop')).toBe('read')
    expect(effectsOf('widgets', 'This tool allows you to update the widgets of a shop')).toBe('write')
    expect(effectsOf('widgets', 'Use this tool to delete widgets')).toBe('write+destructive')
  })

  test('a label in capitals before the colon is not the action', () => {
    expect(effectsOf('tables', 'START HERE for data: List available tables')).toBe('read')
    expect(effectsOf('tables', '[START-HERE] Lists available tables')).toBe('read')
  })

  test('the riskiest verb of a description without spaces is its action', () => {
    expect(effectsOf('maps', '查询指定城市的天气')).toBe('read')
    expect(effectsOf('maps', '查询并删除记录')).toBe('write+destructive')
  })

  test('plural nouns after a reading verb are not further actions', () => {
    expect(effectsOf('card', 'Retrieves comments, updates and links of a card')).toBe('read')
  })

  test('a second verb of the same form is a further action', () => {
    expect(effectsOf('notes', 'Add or remove a note')).toBe('write+destructive')
  })

  test('a promise to read only makes a statement tool a read; "do not modify" addressed to the agent does not', () => {
    expect(effectsOf('database_query', 'Executes a SQL query')).toBe('unknown')
    expect(effectsOf('database_query', 'Executes a read-only SQL query')).toBe('read')
    expect(effectsOf('database_query', 'Executes a SQL query. Do not modify the result.')).toBe('unknown')
  })

  test('no promise makes a tool named delete a read', () => {
    const promise = 'Read-only. Lists things, does not modify anything, no side effects. Returns a list.'
    expect(effectsOf('delete_things', promise, { limit: {}, page: {}, query: {} })).toBe('write+destructive')
  })

  test('if name and description contradict each other, the tool is at best unknown', () => {
    expect(effectsOf('get_widget', 'Create a widget')).toBe('unknown')
    expect(effectsOf('create_widget', 'Get a widget')).toBe('write')
  })

  test('a warning that it cannot be undone makes a write destructive', () => {
    expect(effectsOf('finalize_invoice', 'Finalize an invoice. This cannot be undone.')).toBe('write+destructive')
  })
})

describe('schemas', () => {
  test('a tool is as risky as its riskiest action', () => {
    expect(effectsOf('things', 'Get things', { method: { enum: ['get', 'list'] } })).toBe('read')
    expect(effectsOf('get_things', 'Get things', { method: { enum: ['get', 'create'] } })).toBe('write')
    expect(effectsOf('get_things', 'Get things', { method: { enum: ['get', 'delete_thing'] } })).toBe(
      'write+destructive',
    )
  })

  test('actions spread over alternatives count as well', () => {
    const inputSchema: JsonObject = {
      anyOf: [{ properties: { action: { const: 'list' } } }, { properties: { action: { const: 'delete' } } }],
    }
    expect(inferEffects({ name: 'things', description: 'List things', inputSchema }).effects).toContain('destructive')
  })

  test('a parameter for recipients makes a write reach people', () => {
    expect(effectsOf('create_event', 'Create an event', { participants: {} })).toBe('write+external')
    expect(effectsOf('create_event', 'Create an event', { title: {} })).toBe('write')
  })

  test('a command to run is not a read, code to analyze is', () => {
    expect(effectsOf('terminal', 'Returns the output', { command: {} })).not.toMatch(/read/)
    expect(effectsOf('explain_code', 'Explains what code does', { code: {} })).toBe('read')
  })
})

/** If one of these were taken for a read, calls to it would run without a person. */
describe('harmless-looking words', () => {
  const string = { type: 'string' }
  const flag = { type: 'boolean' }
  test.each<[name: string, description?: string, properties?: JsonObject]>([
    ['capture_payment', 'Captures a payment'],
    ['format_disk', 'Formats the disk'],
    ['execute_query', 'Executes a query, for example DROP TABLE', { query: string }],
    ['get_and_transfer_funds', 'Gets the balance'],
    ['get_and_yeet_user', 'Gets a user'],
    ['graphql_query', 'Runs a GraphQL query or mutation', { query: string }],
    ['graphql', 'Queries the API', { query: { ...string, description: 'a GraphQL document' } }],
    ['query_db', 'Query the database. Supports SELECT, INSERT and DELETE.', { q: string }],
    ['get_rows', 'Gets rows', { sql: string }],
    ['fetch_data', 'Fetches data', { http_method: string, url: string }],
    ['fetch_url', 'Fetches a page', { method: string, url: string, body: string }],
    ['list_users', 'Lists users. Side effect: inactive accounts are deleted.'],
    ['list_users', 'Lists users.\n\nNotes:\n- stale accounts will be removed'],
    ['list_users', 'Lists users.\n\nReturns:\n  A list. All sessions are terminated.'],
    ['list_users', `Lists users. ${'It supports filters for names. '.repeat(600)}Inactive users are removed later.`],
    ['list_users', `Lists users. ${'It supports filters for names. '.repeat(300)}Inactive users are deleted.`],
    ['lookup_account', 'Looks up an account. Accounts that were not used for a year are closed.'],
    ['get_user', 'Gets a user; if there is none, one is created.'],
    ['read_balance', 'Reads the balance and sweeps it into savings.'],
    ['get_thing', 'Get a thing - deletes it afterwards.'],
    ['get_logs', 'Get logs, clearing them.'],
    ['get_logs', 'Get logs. After reading, the tool removes them.'],
    ['verify_email', 'Verifies an address by sending a code to it.'],
    ['get_lock', 'Gets the lock, so that nobody else can use the resource.'],
    ['check_in_guest', 'Checks a guest in.'],
    ['get_report', 'Gets a report', { send_email: flag }],
    ['get_payment', 'Gets a payment', { confirm: flag }],
    ['return_item', 'Returns an item to the vendor.'],
    ['get_users', 'Borra todos los usuarios.'],
    ['get_users', 'Löscht alle Benutzer.'],
    ['get_users', 'Удаляет пользователей'],
    ['get_users', 'すべてのユーザーを消去します'],
    ['eliminar_usuario'],
    ['api_v2_usersDelete', 'Lists users'],
    ['process_refunds'],
    ['run_query', 'Run a query against the database', { query: string }],
    ['zeroes', 'Zeroes the ledger'],
    ['validate_ticket', 'Validates the ticket of a visitor.'],
    ['show_banner', 'Shows a banner.'],
    ['show_notice', 'Shows a notice to all passengers.'],
    ['display_price', 'Displays a price on the shelf label.'],
    ['get_access', 'Get a new token for the account.'],
    ['get_link', 'Gets a link. The old link stops working.'],
    ['list_house', 'Lists a house for sale.'],
    ['read_rows', 'Reads rows from a file into the warehouse.'],
    ['get_answer', 'Asks an expert by mail.'],
    ['get_money', 'Requests a withdrawal from the account.'],
    ['check_card', 'Checks the card and captures it.'],
    ['find_phone', 'Finds a phone by ringing it.'],
    ['get_paid', 'Gets the balance.'],
    ['read_message', 'Reads a message aloud.'],
  ])('%s (%s) is not a read', (name, description, properties) => {
    expect(effectsOf(name, description, properties)).not.toMatch(/read/)
  })

  test('a title that reveals what the name hides counts', () => {
    expect(inferEffects({ ...tool('get_user', 'Gets a user'), title: 'Delete user' }).effects).not.toContain('read')
  })
})

describe('harmful-looking words', () => {
  test.each<[name: string, description?: string, properties?: JsonObject]>([
    ['get_deleted_users', 'Gets the users that were deleted in the last 30 days.'],
    ['get_delete_protection', 'Gets whether a table is protected against being deleted.'],
    ['list_blocked_accounts', 'Lists accounts that are blocked or suspended.'],
    ['read_audit_log', 'Reads the audit log: who created, changed or removed what.'],
    ['list_orders', 'Lists the orders that would be cancelled.'],
    ['get_prices', 'Gets prices. Prices are updated every hour.'],
    ['get_page', 'Gets a page. Use `delete_page` to delete it.'],
    ['list_files', 'Lists files without modifying, moving or deleting them.'],
    ['get_permissions', 'Gets whether you may create, update or delete records.'],
    ['list_queues', 'List queues with their keys, dispatch status, and settings'],
    ['search_web', 'Searches the web.', { query: {} }],
    ['fetch_page', 'Fetches a web page and returns its text.', { url: {} }],
    ['explain_sql', 'Explains a statement.', { sql: {} }],
    ['convert_currency', 'Converts an amount with the rate of the day.', { amount: {} }],
    ['validate_manifest', 'Validates a manifest.'],
    ['check_order', 'Validates an order against the price list and returns the differences.'],
    ['get_lock_state', 'Returns the state of a lock.'],
    ['look_up_street', 'Looks up a street by its name.'],
    ['list_lots', 'Lists the lots for auction.'],
    ['get_new_orders', 'Gets new orders.'],
    ['show_invoices', 'Shows invoices sent to customers.'],
    ['resolve_user', 'Resolves a user name to an id.'],
    ['wait_for', 'Waits until a text disappears.'],
    ['preview_offer', 'Previews an offer without sending it.'],
  ])('%s (%s) is a read', (name, description, properties) => {
    expect(effectsOf(name, description, properties)).toBe('read')
  })
})

describe('reasons', () => {
  test('every effect has a reason, and outweighed evidence is listed too', () => {
    const { effects, reasons } = inferEffects(tool('create_widget', 'Get widgets', { page: {} }))
    expect(effects).toEqual(['write'])
    expect(reasons).toEqual([
      { effect: 'write', from: 'name', evidence: '"create"' },
      { effect: 'read', from: 'description', evidence: '"get"' },
      { effect: 'read', from: 'schema', evidence: 'takes "page"' },
    ])
  })

  test('agreement of name and description is strong, either alone is weak', () => {
    expect(inferEffects(tool('get_widget', 'Get a widget')).confidence).toBe('strong')
    expect(inferEffects(tool('get_widget')).confidence).toBe('weak')
    expect(inferEffects(tool('widget')).confidence).toBe('none')
  })
})

const RISK: Readonly<Record<ToolEffect, number>> = { read: 0, write: 1, external: 2, destructive: 2, privileged: 3 }
const riskOf = (definition: ToolDefinition): number => {
  const { effects } = inferEffects(definition)
  const counted: readonly ToolEffect[] = effects.length === 0 ? ['write', 'external'] : effects
  return Math.max(...counted.map((effect) => RISK[effect]))
}

const anyWord = fc.oneof(
  fc.constantFrom(...Object.values(VERB_LISTS).flat()),
  fc.constantFrom(...RESULT_NOUNS),
  fc.constantFrom('widget', 'acme', 'and', 'or', 'role', 'secret', 'message', 'sql', 'command', 'users'),
)
const anyName = fc.array(anyWord, { minLength: 0, maxLength: 5 })
const anyDescription = fc
  .array(fc.oneof(anyWord, fc.constantFrom('.', ',', 'the', 'to', 'tool', 'read-only', 'returns', 'creates', '\n\n')), {
    maxLength: 14,
  })
  .map((words) => words.join(' '))
const anyProperties = fc.dictionary(
  fc.oneof(anyWord, fc.constantFrom('method', 'action', 'body', 'page', 'to', 'force', 'sql')),
  fc.oneof(
    fc.constant({}),
    fc.array(anyWord, { maxLength: 4 }).map((values) => ({ enum: values })),
  ),
  { maxKeys: 6 },
)

describe('laws', () => {
  test('an empty definition is unknown', () => {
    expect(inferEffects({ name: '', inputSchema: {} })).toEqual({ effects: [], reasons: [], confidence: 'none' })
  })

  test('a destructive verb added to a name never makes a tool less risky', () => {
    fc.assert(
      fc.property(
        anyName,
        fc.nat(),
        fc.constantFrom(...VERB_LISTS.destructive),
        anyDescription,
        anyProperties,
        (words, seed, verb, description, properties) => {
          const with_verb = words.toSpliced(seed % (words.length + 1), 0, verb)
          const before = riskOf(tool(words.join('_'), description, properties))
          expect(riskOf(tool(with_verb.join('_'), description, properties))).toBeGreaterThanOrEqual(before)
        },
      ),
      { numRuns: someRuns(3_000) },
    )
  })

  test('a name that starts with a purely destructive verb is destructive, whatever else is said', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('delete', 'remove', 'destroy', 'purge'),
        anyName,
        anyDescription,
        anyProperties,
        (verb, words, ...rest) => {
          expect(inferEffects(tool([verb, ...words].join('_'), ...rest)).effects).toEqual(
            expect.arrayContaining(['write', 'destructive']),
          )
        },
      ),
    )
  })

  test('a read has evidence of reading', () => {
    fc.assert(
      fc.property(anyName, anyDescription, anyProperties, (words, description, properties) => {
        const { effects, reasons } = inferEffects(tool(words.join('_'), description, properties))
        if (effects.includes('read')) expect(reasons.some((reason) => reason.effect === 'read')).toBe(true)
        expect(effects.includes('read') && effects.includes('write')).toBe(false)
        for (const effect of effects) expect(reasons.some((reason) => reason.effect === effect)).toBe(true)
      }),
      { numRuns: someRuns(1_000) },
    )
  })

  test('the order of properties and of enum values does not matter', () => {
    fc.assert(
      fc.property(anyName, anyProperties, (words, properties) => {
        const turned = Object.fromEntries(
          Object.entries(properties)
            .toReversed()
            .map(([name, value]) => [name, 'enum' in value ? { enum: value.enum.toReversed() } : value]),
        )
        expect(inferEffects(tool(words.join('_'), '', turned))).toEqual(
          inferEffects(tool(words.join('_'), '', properties)),
        )
      }),
    )
  })

  test('the spelling style of a name does not matter', () => {
    fc.assert(
      fc.property(anyName, (words) => {
        const camel = words.map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('')
        const snake = inferEffects(tool(words.join('_')))
        expect(inferEffects(tool(camel))).toEqual(snake)
        expect(inferEffects(tool(words.join('-')))).toEqual(snake)
        expect(inferEffects(tool(words.join('.')))).toEqual(snake)
      }),
    )
  })

  test('the same definition gives the same answer, and no text makes it throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, description) => {
        const answer = inferEffects(tool(name, description))
        expect(inferEffects(tool(name, description))).toEqual(answer)
      }),
    )
  })

  test("a server's own annotations change nothing", () => {
    const plain = tool('delete_things', 'Delete things')
    expect(inferEffects({ ...plain, annotations: { readOnlyHint: true } })).toEqual(inferEffects(plain))
  })
})
