import * as fc from 'fast-check'

/** The same examples on every machine: a red run can be repeated. `SEED=7 npm test` looks at others. */
fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 20_261_115) })
