import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findSensitive } from './find-sensitive.ts'
import { builtIn } from './rules/built-in.suite.ts'
import { base62, hex } from './rules/samples.suite.ts'

const secretsIn = (text: string): string[] =>
  findSensitive(text, builtIn)
    .filter((finding) => finding.kind === 'secret')
    .map(({ start, end }) => text.slice(start, end))

/** How languages, formats and people assign a value to a name. */
const FORMS: Readonly<Record<string, (value: string) => string>> = {
  ini: (value) => `acme_token = ${value}`,
  shell: (value) => `export ACME_TOKEN="${value}"`,
  json: (value) => `{\n  "acme_token": "${value}"\n}`,
  'json in a string': (value) => `{\\"acmeToken\\": \\"${value}\\"}`,
  'name and value': (value) => `- name: ACME_TOKEN\n  value: "${value}"`,
  yaml: (value) => `acme_token: '${value}'`,
  'yaml block': (value) => `acme_token: |\n  ${value}\n`,
  xml: (value) => `<acmeToken>\n  ${value}\n</acmeToken>`,
  'xml attributes': (value) => `<add key="AcmeToken" value="${value}" />`,
  go: (value) => `acmeToken := \`${value}\``,
  'go with a type': (value) => `var acmeToken string = "${value}"`,
  typescript: (value) => `const acmeToken: string = '${value}'`,
  'typescript fallback': (value) => `process.env.ACME_TOKEN ?? process.env['ACME_TOKEN'] || "${value}"`,
  'c macro': (value) => `#define ACME_TOKEN "${value}"`,
  php: (value) => `$config['acme_token'] = '${value}';`,
  ruby: (value) => `:acme_token => "${value}"`,
  call: (value) => `getOrDefault("acme_token", "${value}")`,
  setter: (value) => `client.setAcmeToken("${value}")`,
  option: (value) => `deploy --acme-token ${value} --fast`,
  dockerfile: (value) => `ENV ACME_TOKEN ${value}`,
  query: (value) => `https://acme.test/a?b=1&access_token=${value}&c=2`,
  header: (value) => `-H "Authorization: Bearer ${value}"`,
  'connection string': (value) => `Server=x;AcmeToken=${value};Timeout=3`,
  words: (value) => `the acme api key is ${value}`,
}

describe('values of names that suggest a secret', () => {
  /** A few random strings happen to look like words and are not reported, so the test expects nearly all, each complete. */
  test.each(Object.entries(FORMS))('are found in %s', (_, form) => {
    const values = fc.sample(fc.oneof(base62(32), hex(40)), 200)
    const found = values.filter((value) => secretsIn(form(value)).join() === value)
    expect(found.length).toBeGreaterThanOrEqual(0.98 * values.length)
  })

  test.each([
    'password = "correct horse battery staple"',
    "passwd: 'raspberry'",
    'contraseña: k9!dQw-72Lm',
    'db_password="Pa55w.rd"',
    'dbpwd=tr0ub4dor',
    'my password is tr0ub4dor',
    'PGPASSWORD=tr0ub4dor psql',
    '"client_secret": "qwertz-uiop"',
  ])('%s', (text) => {
    expect(secretsIn(text)).toHaveLength(1)
  })

  test.each([
    'password = ""',
    'password: string',
    'password: str = Field(min_length=8)',
    'password = os.environ["PASSWORD"]',
    'password = getPassword()',
    'const password = req.body.password',
    'password: ${DB_PASSWORD}',
    'password: {{ vault.password }}',
    'password = "<your password>"',
    'password: "Enter your password"',
    'password = "somefakevalue"',
    'api_key = "ab12REDACTED34cd56ef78gh90"',
    '"required": ["username", "password", "roles"]',
    '"name": "update_password", "description": "Sets a new one"',
    'token = "%s" % token',
    '"token_type": "bearer"',
    'max_tokens: 4096',
    'nextPageToken: "CAUQAA8dhGhqR9sK2jhs8dk"',
    'public_key = "q7Lw2Vd8Rk4Tz9Xb3Nc6Hs1Jf5Gm0PyQaUeWiO"',
    'secretName: my-tls-secret',
    "keyring.get_password('system', 'user')",
    'api_key_id = "1c9f4d2e-5b7a-4e3c-9d8f-2a6b1c0e7d54"',
    'monkey = "a8f7s8d7f6a8s7d6f8a7s6df"',
    'tokenizer = AutoTokenizer.load("bert-base-uncased-v2")',
    'private_key "one quote and another\';',
  ])('%s is harmless', (text) => {
    expect(secretsIn(text)).toEqual([])
  })
})
