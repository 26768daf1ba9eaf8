import { hash } from 'node:crypto'
import type { Table } from '../../../kernel/ports/ledger.ts'
import { columnsOf, TABLES } from '../listed.ts'

/** What the functions report, as our own SQLSTATEs. */
export const STATE = {
  /** Something is not as the group expects. Nothing was written. */
  CHANGED: 'SL001',
  /** The number of this batch was closed by an inquiry about its outcome. */
  CLOSED: 'SL002',
  /** The other nodes consider this boot dead. */
  DEAD: 'SL003',
} as const

/** Held by the writer until the transaction ends. */
const LOCK = `PERFORM pg_advisory_xact_lock(hashtext('sluice ' || current_schema()), 2);`

const raise = (state: string, says: string) => `RAISE EXCEPTION '${says}' USING ERRCODE = '${state}';`
const CHANGED = raise(STATE.CHANGED, 'something is not as expected')

/** Only `received_at` is a time. */
const typeOf = (column: string) => (column === 'received_at' ? 'double precision' : 'text')

function writeRows(table: Table): string {
  const columns = columnsOf(table)
  const names = columns.map((column) => `, "${column}"`).join('')
  const typed = columns.map((column) => `, "${column}" ${typeOf(column)}`).join('')
  const record = (from: string) =>
    `jsonb_to_recordset(g->'${from}') AS t(id text, f int, v int, body text, mac text${typed})`
  return `
  IF g ? 'e_${table}' THEN
    IF EXISTS (SELECT FROM jsonb_array_elements(g->'e_${table}') x LEFT JOIN ${table} r ON r.id = x->>0
      WHERE coalesce(r.version, 0) <> (x->>1)::int) THEN ${CHANGED} END IF;
  END IF;
  IF g ? 'u_${table}' THEN
    UPDATE ${table} r SET version = t.v, body = t.body, mac = t.mac${columns.map((column) => `, "${column}" = t."${column}"`).join('')}
      FROM ${record(`u_${table}`)} WHERE r.id = t.id AND r.version = t.f;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n <> jsonb_array_length(g->'u_${table}') THEN ${CHANGED} END IF;
  END IF;
  IF g ? 'i_${table}' THEN
    INSERT INTO ${table} (id, version, body, mac${names}) SELECT t.id, t.v, t.body, t.mac${columns.map((column) => `, t."${column}"`).join('')}
      FROM ${record(`i_${table}`)} ON CONFLICT (id) DO NOTHING;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n <> jsonb_array_length(g->'i_${table}') THEN ${CHANGED} END IF;
  END IF;`
}

/** An account or a journal that another node has changed: then the group is decided again with these. */
const OTHERS_CHANGED = `
  IF (g ? 'acc_e' AND EXISTS (SELECT FROM jsonb_array_elements(g->'acc_e') x LEFT JOIN accounts a ON a.id = x->>0
      WHERE a.units IS DISTINCT FROM (x->>1)::bigint OR a.mac IS DISTINCT FROM x->>2))
    OR (g ? 'run_e' AND EXISTS (SELECT FROM jsonb_array_elements(g->'run_e') x
      WHERE coalesce((SELECT max(seq) FROM events e WHERE e.run = x->>0), 0) <> (x->>1)::bigint)) THEN
    RETURN jsonb_build_object(
      'asked', (SELECT coalesce(jsonb_agg(x->>0), '[]'::jsonb) FROM jsonb_array_elements(g->'acc_e') x),
      'accounts', (SELECT coalesce(jsonb_object_agg(a.id, jsonb_build_array(a.units::text, a.until, a.mac)), '{}'::jsonb)
        FROM jsonb_array_elements(g->'acc_e') x JOIN accounts a ON a.id = x->>0),
      'runs', (SELECT coalesce(jsonb_object_agg(x->>0, coalesce((SELECT max(seq) FROM events e WHERE e.run = x->>0), 0)), '{}'::jsonb)
        FROM jsonb_array_elements(g->'run_e') x));
  END IF;`

/**
 * Checks what a group expects, then writes all of it and returns nothing. If other nodes have changed accounts or journals that it
 * depends on, it writes nothing and returns them. Keys of `g` are explained in group-json.ts.
 */
const COMMIT_BODY = `
DECLARE n bigint; s integer; known record; named record;
BEGIN
  ${LOCK}
  IF EXISTS (SELECT FROM boots WHERE boot = g->>'boot' AND is_dead) THEN ${raise(STATE.DEAD, 'this boot is dead')} END IF;
  ${OTHERS_CHANGED}
  IF g ? 'later' THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;
  UPDATE writers SET batch = (g->>'b')::bigint, done = (g->>'n')::int, exceptions = g->>'x', at = (g->>'at')::float8
    WHERE id = g->>'w' AND asked < (g->>'b')::bigint AND (batch < (g->>'b')::bigint OR (batch = (g->>'b')::bigint AND done = (g->>'d')::int));
  IF NOT FOUND THEN ${raise(STATE.CLOSED, 'this batch was closed')} END IF;
  SELECT number INTO s FROM streams WHERE stream = g->>'hs';
  SELECT seq, hash INTO known FROM audit WHERE stream = s ORDER BY seq DESC LIMIT 1;
  SELECT seq, hash INTO named FROM heads WHERE stream = g->>'hs';
  IF coalesce(known.seq, 0) <> (g->>'hq')::bigint OR coalesce(named.seq, 0) <> (g->>'hq')::bigint
    OR (known.seq IS NOT NULL AND (known.hash <> g->>'hh' OR named.hash IS DISTINCT FROM g->>'hh')) THEN
    IF NOT coalesce((g->>'follow')::boolean, false) OR coalesce(known.seq, 0) <> (g->>'hq')::bigint THEN ${CHANGED} END IF;
  END IF;
  IF g ? 'a' THEN
    INSERT INTO audit (stream, seq, hash, body) SELECT s, (x->>0)::bigint, x->>1, x->>2 FROM jsonb_array_elements(g->'a') x;
    INSERT INTO heads (stream, seq, hash, mac) VALUES (g->>'hs', (g->>'nq')::bigint, g->>'nh', g->>'nm')
      ON CONFLICT (stream) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, mac = excluded.mac;
  END IF;
  ${TABLES.map(writeRows).join('\n')}
  IF g ? 'once_e' THEN
    IF EXISTS (SELECT FROM jsonb_array_elements(g->'once_e') x
      WHERE EXISTS (SELECT FROM once o WHERE o.key = x->>0) <> (x->>1)::boolean) THEN ${CHANGED} END IF;
  END IF;
  IF g ? 'once_i' THEN
    INSERT INTO once (key, until, mac) SELECT x->>0, (x->>1)::float8, x->>2 FROM jsonb_array_elements(g->'once_i') x ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n <> jsonb_array_length(g->'once_i') THEN ${CHANGED} END IF;
  END IF;
  IF g ? 'keys' THEN
    SELECT o.n INTO n FROM once_sums o WHERE o.stream = g->>'hs';
    IF coalesce(n, 0) <> (g->>'keys_n')::bigint THEN ${CHANGED} END IF;
    INSERT INTO once_sums (stream, n, masked, mac) VALUES (g->>'hs', (g->'keys'->>0)::bigint, g->'keys'->>1, g->'keys'->>2)
      ON CONFLICT (stream) DO UPDATE SET n = excluded.n, masked = excluded.masked, mac = excluded.mac;
  END IF;
  IF g ? 'acc_w' THEN
    INSERT INTO accounts (id, units, until, mac) SELECT x->>0, (x->>1)::bigint, (x->>2)::float8, x->>3
      FROM jsonb_array_elements(g->'acc_w') x ON CONFLICT (id) DO UPDATE SET units = excluded.units, mac = excluded.mac;
  END IF;
  IF g ? 'ev_d' THEN
    DELETE FROM events e USING jsonb_array_elements(g->'ev_d') x WHERE e.run = x->>0 AND e.seq <= (x->>1)::float8;
  END IF;
  IF g ? 'ev_i' THEN
    INSERT INTO events (run, seq, body, mac) SELECT x->>0, (x->>1)::bigint, x->>2, x->>3 FROM jsonb_array_elements(g->'ev_i') x;
  END IF;
  IF g ? 'wk_d' THEN
    DELETE FROM wakes k USING jsonb_array_elements_text(g->'wk_d') x WHERE k.run = x;
  END IF;
  IF g ? 'wk_i' THEN
    INSERT INTO wakes (run, at) SELECT x->>0, (x->>1)::float8 FROM jsonb_array_elements(g->'wk_i') x ON CONFLICT DO NOTHING;
  END IF;
  IF g ? 'jobs' THEN
    EXECUTE format('SELECT %I($1, $2, $3)', g->>'jobs') USING g->>'wk_d', g->>'drive', g->>'timers';
  END IF;
  IF g ? 'purge' THEN
    DELETE FROM once WHERE key IN (SELECT key FROM once WHERE mac IS NULL AND until < (g->>'purge')::float8 LIMIT 1000);
    DELETE FROM accounts WHERE id IN (SELECT id FROM accounts WHERE until < (g->>'purge')::float8 LIMIT 1000);
    DELETE FROM writers WHERE at < (g->>'purge_writers')::float8;
    DELETE FROM boots WHERE is_dead AND alive_until < now() - interval '7 days';
  END IF;
  RETURN NULL;
END`

const readRows = (table: Table) => `
  IF g->'rows' ? '${table}' THEN
    rows := rows || jsonb_build_object('${table}', (SELECT coalesce(jsonb_object_agg(r.id, r.version), '{}'::jsonb)
      FROM jsonb_array_elements_text(g->'rows'->'${table}') x JOIN ${table} r ON r.id = x));
  END IF;`

/** Takes the lock and reads everything that a group depends on. */
const LOOK_BODY = `
DECLARE rows jsonb := '{}'::jsonb; s integer;
BEGIN
  ${LOCK}
  ${TABLES.map(readRows).join('\n')}
  SELECT number INTO s FROM streams WHERE stream = g->>'stream';
  RETURN jsonb_build_object(
    'rows', rows,
    'onces', (SELECT coalesce(jsonb_agg(o.key), '[]'::jsonb) FROM jsonb_array_elements_text(g->'onces') x JOIN once o ON o.key = x),
    'accounts', (SELECT coalesce(jsonb_object_agg(a.id, jsonb_build_array(a.units::text, a.until, a.mac)), '{}'::jsonb)
      FROM jsonb_array_elements_text(g->'accounts') x JOIN accounts a ON a.id = x),
    'runs', (SELECT coalesce(jsonb_object_agg(x, coalesce((SELECT max(seq) FROM events e WHERE e.run = x), 0)), '{}'::jsonb)
      FROM jsonb_array_elements_text(g->'runs') x),
    'named', (SELECT jsonb_build_array(seq, hash, mac) FROM heads WHERE stream = g->>'stream'),
    'keys', (SELECT jsonb_build_array(n, masked, mac) FROM once_sums WHERE stream = g->>'stream'),
    'last', (SELECT jsonb_build_array(seq, hash) FROM audit WHERE stream = s ORDER BY seq DESC LIMIT 1),
    'at', (SELECT hash FROM audit WHERE stream = s AND seq = (g->>'seq')::bigint),
    'floor', (SELECT hash FROM audit WHERE stream = s AND seq = (g->>'floor')::bigint));
END`

/** Under a name that changes with the text, so that nodes of two releases can use one database. */
function named(what: string, body: string, returns: string): { readonly name: string; readonly sql: string } {
  const name = `${what}_${hash('sha256', body).slice(0, 12)}`
  const sql = `CREATE OR REPLACE FUNCTION ${name}(g jsonb) RETURNS ${returns} LANGUAGE plpgsql AS $sluice$${body}$sluice$`
  return { name, sql }
}

export const COMMIT = named('commit_group', COMMIT_BODY, 'jsonb')
export const LOOK = named('look_at', LOOK_BODY, 'jsonb')
export const FUNCTIONS: readonly string[] = [COMMIT.sql, LOOK.sql]
