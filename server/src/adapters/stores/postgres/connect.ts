import { Client, types, type ClientConfig, type CustomTypesConfig } from 'pg'
import { refuse, type Result } from '../../../kernel/contract/problems.ts'
import type { PostgresSettings } from '../store-engine.ts'

/** Where the store is: a database, and our schema in it. */
export type PostgresAddress = PostgresSettings

export const DEFAULT_SCHEMA = 'sluice'

const CONNECT_MS = 10_000
/** A statement that takes longer was lost, or the database hangs. */
const ANSWER_MS = 30_000
/** How long a node that was stopped in the middle of a commit may keep the others waiting. */
const IDLE_IN_TRANSACTION_MS = 5_000

/**
 * One connection's settings. Answered commits are durable, whatever the database's default is. Serializable sessions would fail
 * statements that only have to wait.
 */
export function connectionTo({ url, schema }: PostgresAddress, name: string): ClientConfig {
  const options = [
    `search_path=${schema}`,
    'default_transaction_isolation=read\\ committed',
    'client_min_messages=warning',
    'jit=off',
    `idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_MS}`,
  ]
  return {
    connectionString: url,
    options: options.map((option) => `-c ${option}`).join(' '),
    application_name: `sluice ${name}`,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    types: TYPES,
  }
}

/** Cursors and entry numbers are far below the limit of a double. Accounts are read as text. */
const TYPES: CustomTypesConfig = {
  getTypeParser: ((oid: Parameters<typeof types.getTypeParser>[0], format?: 'text' | 'binary') =>
    oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format)) as CustomTypesConfig['getTypeParser'],
}

/** An established connection. If it breaks later, those who wait for an answer get the error. */
export async function connect(address: PostgresAddress, name: string, more: ClientConfig = {}): Promise<Client> {
  const client = new Client({ ...connectionTo(address, name), ...more })
  client.on('error', () => undefined)
  try {
    await client.connect()
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  }
  return client
}

/** The SQLSTATE of an error that the database reported. */
export function stateOf(error: unknown): string | undefined {
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}

/**
 * Whether the statement was certainly rolled back: the database reported an error and the connection is alive. If the session
 * ended, or the database does not know, the result is unknown.
 */
export function isSurelyUndone(error: unknown): boolean {
  const state = stateOf(error)
  const { severity } = error as { readonly severity?: unknown }
  return state !== undefined && severity === 'ERROR' && state !== '40003' && !state.startsWith('08')
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The address without its password, for messages. */
export function shownAddress({ url, schema }: PostgresAddress): string {
  try {
    const { protocol, host, pathname } = new URL(url)
    return `${protocol}//${host}${pathname} (schema ${schema})`
  } catch {
    return `a database (schema ${schema})`
  }
}

export const unreachable = (address: PostgresAddress, error: unknown): Result<never> =>
  refuse('store.unreachable', { store: shownAddress(address), says: messageOf(error) })
