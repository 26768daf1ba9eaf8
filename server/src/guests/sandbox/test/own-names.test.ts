import { rmSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import type { Json } from '../../../kernel/contract/json.ts'
import { openProject } from './own-names.suite.ts'

const { folder, judge } = await openProject()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const KEY = '.sluice/admin.key'
const WHOLE = `${folder}/${KEY}`
const base64 = (text: string) => Buffer.from(text).toString('base64')
const percent = (text: string) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('')

const isBlocked = (rules: readonly string[]) => rules.some((one) => /^block sandbox\.(?:gate_|process)/.test(one))

/** Ways to write the name of one of the gate's files, by trick. */
const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  'a bare name':
    `admin.key ./admin.key ADMIN.KEY admin.key. gate.sock ledger.sqlite ledger.sqlite-wal row-key.json keys/row-key.json
    src/../admin.key ../admin.key $SLUICE_DATA/admin.key`.split(/\s+/),
  'a pattern':
    `**/admin.key *.key **/*.key .slu*/adm* */admin.key **/adm* .*/admin.key .*/* {.sluice,notes}/admin.key {.slu,x}ice/*
    .s[a-z]uice/admin.key .[!a]luice/admin.key .@(sluice)/admin.key .+(s)luice/admin.key ?sluice/admin.key **/keys/* **/row-key*
    a*.key **/*.sock .slu{,}ice/admin.key DATA-LIN?/../.slu*`.split(/\s+/),
  'path parameters': ['notes/..;/.sluice/admin.key', '.sluice;x=1/admin.key', 'notes/..;a=b/.sluice/admin.key'],
  'an encoding': [
    percent(KEY),
    percent(percent(KEY)),
    percent(percent(percent(KEY))),
    ...`%252esluice%252fadmin.key %u002esluice/admin.key %c0%aesluice%c0%afadmin.key &#46;sluice/admin.key &#x2e;sluice&sol;admin.key
    &period;sluice/admin.key =2Esluice=2Fadmin.key \\056sluice/admin.key \\x2esluice/admin.key \\u{2e}sluice/admin.key .sluice%00/x
    .%73luice/admin.key`.split(/\s+/),
    base64(KEY),
    base64('admin.key'),
    base64(base64(KEY)),
    base64(`cat ${KEY}`),
    Buffer.from(KEY, 'utf16le').toString('base64'),
    Buffer.from(KEY).toString('base64url'),
    Buffer.from(KEY).toString('hex'),
  ],
  'other letters': [
    ...`.ѕluice/admin.key ․sluice/admin.key .sluice∕admin.key .sluice⁄admin.key .sluice／admin.key .sluice⧵admin.key .sluıce/admin.key
    .ſluice/admin.key .SLUİCE/admin.key .sluice/admin.ᴋey .𝐬luice/admin.key .ⓢluice/admin.key 。sluice/admin.key .sluicé/admin.key`.split(
      /\s+/,
    ),
    '.slu\u200bice/admin.key',
    '.slu\u00adice/admin.key',
    '.s\u0301luice/admin.key',
    '.slu\u{e0061}ice/admin.key',
  ],
  'a file system that is less strict':
    `.Sluice/Admin.Key .sluice./admin.key. .sluice../admin.key .sluice/admin.key::$DATA SLUICE~1/ADMIN.KEY
    .sluice::$INDEX_ALLOCATION/admin.key sl4f2a~1\\admin.key`.split(/\s+/),
  'an address': [
    `file://${WHOLE}`,
    `file://127.0.0.1${WHOLE}`,
    `file://evil.example${WHOLE}`,
    `file://${KEY}`,
    `file:///./${KEY}`,
    `jar:file://${WHOLE}!/x`,
    `unix:${folder}/.sluice/gate.sock`,
    `http+unix://${encodeURIComponent(`${folder}/.sluice/gate.sock`)}/v1/approvals`,
    `http://unix:${folder}/.sluice/gate.sock:/v1/approvals`,
    'sqlite://.sluice/ledger.sqlite',
    `php://filter/resource=${KEY}`,
    `http://127.0.0.1:8000/?file=${KEY}`,
    `http://localhost/${KEY}`,
  ],
  'the files of a process': [
    `/proc/self/root${WHOLE}`,
    `/proc/1/cwd/${KEY}`,
    '/proc/self/fd/3',
    '/dev/fd/10',
    '/proc/$PPID/cwd/.sluice',
    '/proc/*/environ',
  ],
  'another machine': [
    `\\\\localhost\\c$${WHOLE.replaceAll('/', '\\')}`,
    `\\\\?\\UNC\\localhost\\c$\\x\\.sluice\\admin.key`,
    `//localhost${WHOLE}`,
    `/mnt/c${WHOLE}`,
  ],
  'a shell': [
    ...`$HOME/.sluice \${HOME}/.sluice/admin.key $PWD/.sluice ~+/.sluice/admin.key ~-/.sluice/admin.key $OLDPWD/.sluice \${D:-.sluice}/admin.key
    \${X}.sluice/admin.key .slu\${X}ice/admin.key .slu$(true)ice/admin.key .slu\`true\`ice/admin.key .slu$@ice/admin.key .sl""uice/admin.key
    .sl'u'ice/admin.key .sl\\uice/admin.key .slu^ice\\admin.key %APPDATA%\\.sluice\\admin.key $env:USERPROFILE\\.sluice`.split(
      /\s+/,
    ),
    `.slu\\\nice/admin.key`,
    "$'\\056sluice'/admin.key",
  ],
  'something around it': [
    `notes/a.txt,${KEY}`,
    `notes/a.txt:${KEY}`,
    `@${KEY}`,
    `-f${KEY}`,
    `--file=${KEY}`,
    `HEAD:${KEY}`,
    `${WHOLE}:/mnt:ro`,
    `type=bind,source=${WHOLE},target=/x`,
    `${KEY}#L1`,
    `${KEY}?raw`,
  ],
}

for (const [trick, spellings] of Object.entries(SPELLINGS))
  test(`a file of the gate named by ${trick} is blocked, in a path and in any other field`, async () => {
    const missed: string[] = []
    for (const text of spellings)
      for (const key of ['path', 'uri', 'target'])
        if (!isBlocked(await judge({ [key]: text }))) missed.push(`${key}: ${text}`)
    expect(missed).toEqual([])
  })

test('a name that two or more arguments make together is blocked', async () => {
  const split: Json[] = [
    { dir: '.sluice', name: 'admin.key' },
    { root: '/', rel: WHOLE.slice(1) },
    { dir: 'notes/..', file: 'admin.key' },
    { prefix: '.slu', suffix: 'ice/admin.key' },
    { b: '.sl', a: 'uice/admin.key' },
    { parts: ['.slu', 'ice', '/admin.key'] },
    { base: `${folder}/.slu`, name: 'ice/admin.key' },
    { dir: '.', stem: 'admin', ext: 'key' },
    { dir: 'notes', name: '../.sluice/admin.key' },
    { path: '.', pattern: 'admin.key' },
    { dir: 'notes', name: 'key-link' },
    { json: JSON.stringify(JSON.stringify(JSON.stringify(JSON.stringify({ path: KEY })))) },
    { [KEY]: 1 },
    { files: { [base64(KEY)]: 1 } },
  ]
  for (const args of split) expect([args, isBlocked(await judge(args, 'x'))]).toEqual([args, true])
})

test('a command, a statement or a document that would open one is blocked', async () => {
  const commands = [
    'cd .sluice && cat admin.key',
    'cat admin.key',
    'a=.slu; cat ${a}ice/admin.key',
    'cat $(echo LnNsdWljZS9hZG1pbi5rZXk= | base64 -d)',
    'eval $(echo Y2F0IC5zbHVpY2UvYWRtaW4ua2V5 | base64 -d)',
    "find . -name 'adm*'",
    'find / -name admin.key -exec cat {} ;',
    'cat .??uice/a*',
    'cat .[!.]*/a*',
    `python -c "print(open('.slu'+'ice/admin.key').read())"`,
    'rev <<< yek.nimda/eciuls. | xargs cat',
    "printf '\\x2e\\x73\\x6c\\x75\\x69\\x63\\x65/admin.key' | xargs cat",
    'curl --unix-socket gate.sock http://x/',
    'git show HEAD:.sluice/admin.key',
  ].map((command) => ({ command }))
  const documents: Json[] = [
    { sql: `COPY t FROM '${KEY}'` },
    { code: `open("${KEY}")` },
    { code: 'open(".slu" + "ice/admin.key")' },
    { code: `readFileSync(Buffer.from('${base64(KEY)}', 'base64').toString())` },
    { content: `@${KEY}` },
    { template: `{% include "${KEY}" %}` },
    { html: `<img src="file://${WHOLE}">` },
    { markdown: `![x](${WHOLE})` },
    { xml: `<!DOCTYPE x [<!ENTITY a SYSTEM "${KEY}">]>` },
    { diff: `--- a/notes\n+++ b/${KEY}\n` },
    { patch: `*** Update File: ${KEY}` },
    { body: JSON.stringify({ path: KEY }) },
  ]
  for (const args of [...commands, ...documents])
    expect([args, isBlocked(await judge(args, 'run'))]).toEqual([args, true])
})

test('the configuration is not written under an encoded name', async () => {
  for (const path of [percent('sluice.yaml'), percent(percent('./sluice.yaml')), 'sluice&period;yaml', 'sluice=2Eyaml'])
    expect([path, await judge({ path }, 'write_file')]).toEqual([
      path,
      expect.arrayContaining(['block sandbox.gate_settings']),
    ])
})

test('names of files of the gate are blocked for servers that may be local too, and held when mentioned in a sentence', async () => {
  for (const path of ['admin.key', KEY, '.slu*/adm*', '**/admin.key', WHOLE])
    expect([path, isBlocked(await judge({ path }, 'read', 'far'))]).toEqual([path, true])
  expect(await judge({ note: `The gate keeps what it knows in ${KEY}, so leave it alone` }, 'x')).not.toContain(
    'block sandbox.gate_data',
  )
  expect(await judge({ text: `The gate keeps what it knows in ${KEY}` }, 'x')).toContain('ask sandbox.gate_mentioned')
})

/** Ordinary arguments that share letters, endings or shapes with the gate's own names. */
const ORDINARY: readonly Json[] = [
  ...`notes/a.txt src/main.ts certs/admin.key notes/admin.key /etc/admin.key src/**/*.ts **/*.ts **/*.json **/*.md *.txt **/*.y?ml .github/* .git/config
    .*rc src/keys/*.ts **/keys/*.ts src/admin.ts admin.html admin.keys sluice sluice.md docs/sluice/readme.md .sluice-servers/x .sluicerc my.sluice
    file.sluice.bak data.sqlite app.sqlite gate.sockets key.json keys row-key ledger ledger.csv ledger-2026.sqlite keys/mine.json
    https://example.com/.sluice/admin.key https://example.com/admin.key?x=1 a/b/c.txt ./x ../y ~/notes.txt $HOME/notes.txt README.md
    package.json notes/*.txt {a,b}.ts [a]b.txt report(1).pdf C:\\Users\\me\\a.txt 50% a&b Zm9vYmFyYmF6cXV4 deadbeefdeadbeef
    2f6465762f6e756c6c 100%25 x=1 a+b=c user@example.com @team #channel`
    .split(/\s+/)
    .flatMap((text) => [{ path: text }, { query: text }]),
  { username: 'admin', field: 'key' },
  { role: 'admin', sort: 'key' },
  { name: 'admin', format: 'json' },
  { stem: 'report', ext: 'key' },
  { path: 'notes', pattern: '*.txt' },
  { command: 'ls -la && git status' },
  { command: 'grep -rn "key" src | head' },
  { command: "find src -name '*.ts'" },
  { command: 'openssl genrsa -out server.pem 2048' },
  { query: 'how does the admin key of a gate work' },
  { text: 'Put the sluice gate key under the mat. The admin has the other key.' },
  { body: 'See the ledger, then the socket and the keys folder.' },
  { parts: ['src', 'admin', 'keys.ts'] },
]

test('ordinary arguments are not mistaken for the gate`s own names', async () => {
  const alarms: Json[] = []
  for (const args of ORDINARY) if ((await judge(args)).some((one) => one.includes('sandbox.gate_'))) alarms.push(args)
  expect(alarms).toEqual([])
})
