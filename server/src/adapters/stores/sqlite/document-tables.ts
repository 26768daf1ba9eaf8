/** Documents with their versions, and what their runs store. Like every migration it never changes. */
const table = (name: string, fields: readonly string[]) => `
  CREATE TABLE ${name} (
    pos INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    later TEXT,
    mac BLOB${fields.map((field) => `,\n    "${field}" TEXT`).join('')}
  ) STRICT;
  ${fields.map((field) => `CREATE INDEX ${name}_by_${field} ON ${name} ("${field}") WHERE "${field}" IS NOT NULL;`).join('\n  ')}`

export const DOCUMENT_TABLES = [table('documents', ['part', 'name']), table('agent_values', ['agent'])].join('')
