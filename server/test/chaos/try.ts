import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FOLDER_VARIABLE } from '../postgres/global-setup.ts'
import { stopPostgres } from '../postgres/start-postgres.ts'
import { runCase } from './crash-cases.ts'
const f = (process.env[FOLDER_VARIABLE] = mkdtempSync(join(tmpdir(), 'sluice-chaos-pg-')))
try {
  for (const [store, at, nth] of [['postgres','upstream.after',1],['postgres','commit.after',12],['postgres','commit.before',30],['embedded','commit.after',33]] as const) {
const t=performance.now()
const r = await runCase({ store, kill: { at, nth } }, 1)
console.log(store, at, nth, Math.round(performance.now()-t), r.violations.length)
  }
} finally { await stopPostgres(f) }
