import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filesFact } from '../facts/files-fact.ts'
import { judgementOf } from '../../../../test/judging.ts'
import { readConfig } from '../../../../test/read-config.ts'
import type { Json } from '../../../kernel/contract/json.ts'
import { judgeSandboxFacts } from '../judge-sandbox.ts'
import { callWith, neutralFacts, toolWith } from '../../../kernel/decide/neutral-facts.suite.ts'
import { localFiles } from '../local-files.ts'

const KEYS = ['signing-keys.json', 'row-key.json', 'token-keys.json', 'newest-checkpoint.json']

/** A project with the gate's data folder in it, as `sluice init` makes it, and two servers that work there. */
export async function openProject() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-names-')))
  for (const path of ['.sluice/keys', 'notes/sub', 'src', 'certs', '.github'])
    mkdirSync(join(folder, path), { recursive: true })
  for (const file of [
    '.sluice/admin.key',
    '.sluice/ledger.sqlite',
    '.sluice/gate.log',
    'sluice.yaml',
    'notes/a.txt',
    'src/main.ts',
    'certs/admin.key',
  ])
    writeFileSync(join(folder, file), 'x')
  for (const name of KEYS) writeFileSync(join(folder, '.sluice/keys', name), 'x')
  symlinkSync('.sluice', join(folder, 'data-link'))
  symlinkSync('../.sluice/admin.key', join(folder, 'notes/key-link'))
  const config = readConfig({
    servers: { s: { command: 'x', args: [folder], cwd: folder }, far: { url: 'http://127.0.0.1:9/mcp' } },
  })
  if (!config.ok) throw new Error(JSON.stringify(config.problem))
  const own = {
    data: join(folder, '.sluice'),
    settings: [join(folder, 'sluice.yaml')],
    programs: [],
    store: [join(folder, '.sluice/ledger.sqlite')],
    names: ['admin.key', 'gate.sock', 'ledger.sqlite', 'ledger.sqlite-wal', ...KEYS.map((name) => `keys/${name}`)],
  }
  const files = localFiles(config.value.servers, folder, own)
  const judgement = await judgementOf(config.value, { files })
  const judge = async (args: Json, name = 'read_text_file', server = 's'): Promise<string[]> => {
    const call = callWith(args, { server })
    const plain = toolWith({ path: {} }, name.startsWith('write') ? ['write'] : ['read'])
    const definition = { ...plain.row.definition, name }
    const tool = { ...plain, row: { ...plain.row, definition, admitted: { ...plain.row.admitted, definition } } }
    const facts = await filesFact({ files, judgement }, call, tool as typeof plain)
    return judgeSandboxFacts(call, { ...neutralFacts(tool as typeof plain), files: facts }).map(
      ({ effect, rule }) => `${effect} ${rule}`,
    )
  }
  return { folder, judge }
}
