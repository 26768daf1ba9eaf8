const table = (name: string, fields: readonly string[]) => `
  CREATE TABLE ${name} (
    pos INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    later TEXT,
    ${fields.map((field) => `${field} TEXT,`).join(' ')}
    mac BLOB
  ) STRICT;
  ${fields.map((field) => `CREATE INDEX ${name}_by_${field} ON ${name} (${field}) WHERE ${field} IS NOT NULL;`).join('\n  ')}`

/** Flows, their runs and proposals, listed by composed keys; and the consents of runs. Like every migration it never changes. */
export const FLOW_TABLES = [
  table('flows', ['shelf', 'shelf_status', 'shelf_flow', 'shelf_flow_status']),
  table('flow_consents', ['of_run']),
].join('\n')
