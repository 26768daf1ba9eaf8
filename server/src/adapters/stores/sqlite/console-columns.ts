/**
 * What the console lists: calls by tool, caller, person and time, requests by person, and calls that failed or were refused by
 * their state. And the tables of logins, passkeys and browsers with notifications. Like every migration it never changes.
 */
const table = (name: string) => `
  CREATE TABLE ${name} (
    pos INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    later TEXT,
    user TEXT
  ) STRICT;
  CREATE INDEX ${name}_by_user ON ${name} (user) WHERE user IS NOT NULL;`

const index = (name: string, field: string) =>
  `CREATE INDEX ${name}_by_${field} ON ${name} (${field}) WHERE ${field} IS NOT NULL;`

export const CONSOLE_COLUMNS = `
  ALTER TABLE calls ADD COLUMN tool_id TEXT;
  ALTER TABLE calls ADD COLUMN caller TEXT;
  ALTER TABLE calls ADD COLUMN user TEXT;
  ALTER TABLE calls ADD COLUMN received_at REAL;
  UPDATE calls SET tool_id = body ->> 'tool_id', caller = body -> 'caller' ->> 'id', user = body -> 'caller' ->> 'user',
    received_at = coalesce(later ->> 'received_at', body ->> 'received_at');
  UPDATE calls SET state = coalesce(later ->> 'state', body ->> 'state')
    WHERE state IS NULL AND coalesce(later ->> 'state', body ->> 'state') IN ('failed', 'refused');
  ${['tool_id', 'caller', 'user', 'received_at'].map((field) => index('calls', field)).join('\n  ')}
  ALTER TABLE approvals ADD COLUMN user TEXT;
  UPDATE approvals SET user = body -> 'caller' ->> 'user';
  ${index('approvals', 'user')}
  ${['logins', 'passkeys', 'pushes'].map(table).join('')}`
