import type { DatabaseSync } from 'node:sqlite'

/**
 * Moves rows that were stored under a caller's id alone to id and user. The texts are the ones that this release writes (pinned
 * in caller-rows.test.ts); like every migration it never changes.
 */
export const CALLER_ROWS = `
  CREATE TABLE sessions (
    pos INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    later TEXT
  ) STRICT;

  INSERT OR IGNORE INTO once (key, until)
    SELECT 'call ' || call_key(body), ${Number.MAX_SAFE_INTEGER} FROM calls WHERE idempotency_key IS NOT NULL;
  DELETE FROM once WHERE key IN (SELECT 'call ' || idempotency_key FROM calls WHERE idempotency_key IS NOT NULL);
  UPDATE calls SET idempotency_key = call_key(body), body = with_field(body, 'idempotency_key', call_key(body))
    WHERE idempotency_key IS NOT NULL;
  UPDATE calls SET task_of = caller_text(body), body = with_field(body, 'task_of', caller_text(body))
    WHERE task_of IS NOT NULL;
  UPDATE approvals SET identity = text_key(same_call(body)), body = with_field(body, 'identity', same_call(body))
    WHERE identity IS NOT NULL;

  UPDATE consents SET body = with_field(body, 'user',
      (SELECT json_extract(a.body, '$.caller.user') FROM approvals a WHERE a.id = json_extract(consents.body, '$.from_approval')))
    WHERE json_extract(body, '$.actor') LIKE 'caller:%' AND EXISTS
      (SELECT 1 FROM approvals a WHERE a.id = json_extract(consents.body, '$.from_approval'));

  INSERT OR IGNORE INTO once (key, until)
    SELECT request_key(json_extract(c.body, '$.caller.id'), json_extract(c.body, '$.caller.user'), once.key), until
      FROM once JOIN credentials c ON request_of(once.key) = json_extract(c.body, '$.caller.id');
  INSERT OR IGNORE INTO once (key, until)
    SELECT request_key(request_of(key), request_user(key), key), until FROM once WHERE request_of(key) IS NOT NULL;
  DELETE FROM once WHERE request_of(key) IS NOT NULL;`

type Row = {
  readonly caller: { readonly id: string; readonly user: string }
  readonly tool_id?: string
  readonly args_hash?: string
  readonly canonical_args?: string
  readonly idempotency_key?: string
  readonly for_run?: string
}

/** The functions that the migration calls. */
export function defineCallerFunctions(db: DatabaseSync): void {
  const define = (name: string, make: (...texts: string[]) => string | null) =>
    db.function(name, { varargs: true }, (...values) => make(...values.map((value) => String(value ?? ''))))
  define('call_key', (body) => callKey(JSON.parse(body) as Row))
  define('caller_text', (body) => {
    const { caller } = JSON.parse(body) as Row
    return JSON.stringify([caller.id, caller.user])
  })
  define('same_call', (body) => {
    const { caller, tool_id, args_hash } = JSON.parse(body) as Row
    return JSON.stringify([caller.id, caller.user, tool_id, args_hash])
  })
  define('with_field', (body, field, value) => JSON.stringify({ ...(JSON.parse(body) as object), [field]: value }))
  define('request_of', (key) => REQUEST.exec(key)?.[1] ?? null)
  // The owner of the folder under another name, or a caller of an issuer, whose id ends with its user.
  define('request_user', (key) => /\/(.+)$/.exec(REQUEST.exec(key)?.[1] ?? '')?.[1] ?? 'local')
  define('request_key', (id, user, key) => `request ${JSON.stringify(['request', id, user, REQUEST.exec(key)?.[2]])}`)
}

/** The id of a caller has no spaces. The texts of this release begin with a bracket. */
const REQUEST = /^request ([^\s[]\S*) (.+)$/s

function callKey({ caller, idempotency_key = '', for_run, canonical_args = '' }: Row): string {
  const { id, user } = caller
  const key = idempotency_key.startsWith(`${id} `) ? idempotency_key.slice(id.length + 1) : idempotency_key
  if (for_run !== undefined && key === `toolflow/${for_run}`) return JSON.stringify(['run', id, user, key])
  // The later rounds of a call had their number after the key.
  const round = canonical_args.includes('"sluice/inputs":') ? /^(.+)\/([2-9]|1\d)$/s.exec(key) : null
  return JSON.stringify(['call', id, user, ...(round === null ? [key] : [round[1], Number(round[2])])])
}
