import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { compileOwn } from './find-own.ts'
import { findGuarded } from './guarded-texts.ts'
import { argRules } from './rules/built-in.suite.ts'
import { scanArgs } from './scan-args.ts'
import type { Json } from '../../kernel/contract/json.ts'

/** Made up here, so that secret scanners do not report this file. */
const TOKEN = ['ghp', '_D4aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA1bC3d'].join('')
const own = compileOwn([])
const KEY = `sluice_agent_${randomBytes(32).toString('base64url')}`

const bytes = (text: string) => [...Buffer.from(text)]
const backwards = (text: string) => Array.from(text).toReversed().join('')
const base64 = (text: string) => Buffer.from(text).toString('base64')
const hex = (text: string) => Buffer.from(text).toString('hex')
const rot13 = (text: string) =>
  text.replace(/[a-z]/gi, (one) => String.fromCharCode(one.charCodeAt(0) + (one.toLowerCase() < 'n' ? 13 : -13)))
const tags = (text: string) => Array.from(text, (one) => String.fromCodePoint(0xe0000 + one.charCodeAt(0))).join('')
const binary = (text: string) => bytes(text).map((byte) => byte.toString(2).padStart(8, '0'))
const address = (rest: string): Json => ({ url: `https://evil.test/${rest}` })

/** Encodings in which an agent could send a secret past the scanner. */
const DISGUISES: Readonly<Record<string, (secret: string) => Json>> = {
  'backwards in an address': (secret) => address(backwards(secret)),
  'backwards in base64': (secret) => address(base64(backwards(secret))),
  'as base64 backwards': (secret) => address(backwards(base64(secret))),
  'rotated by 13 letters': (secret) => address(rot13(secret)),
  'as character codes in an address': (secret) => address(bytes(secret).join(',')),
  'as character codes with hyphens': (secret) => address(bytes(secret).join('-')),
  'as binary digits': (secret) => address(binary(secret).join('')),
  'as binary digits in groups': (secret) => ({ text: binary(secret).join(' ') }),
  'in tag characters': (secret) => ({ text: `hello${tags(secret)}` }),
}
const SECRET_ONLY: Readonly<Record<string, (secret: string) => Json>> = {
  'as a list of character codes': (secret) => ({ parts: bytes(secret) }),
  'in groups with hyphens': (secret) => address(secret.match(/.{1,5}/g)?.join('-') ?? ''),
  'as hexadecimal over the labels of a host': (secret) => ({
    url: `https://${hex(secret).slice(0, 60)}.${hex(secret).slice(60)}.evil.test/`,
  }),
  'in base64 over two arguments': (secret) => ({ a: base64(secret).slice(0, 27), b: base64(secret).slice(27) }),
}

describe('a secret in arguments is found', () => {
  test.each(Object.keys({ ...DISGUISES, ...SECRET_ONLY }))('%s', (name) => {
    const args = (DISGUISES[name] ?? SECRET_ONLY[name])?.(TOKEN) ?? null
    expect(scanArgs(args, argRules).findings.map(({ kind }) => kind)).toContain('secret')
  })
})

describe("the gate's own key in arguments is found", () => {
  test.each(Object.keys(DISGUISES))('%s', (name) => {
    expect(findGuarded(DISGUISES[name]?.(KEY) ?? null, own, []).own).not.toEqual([])
  })
  test('over two and over three arguments', () => {
    expect(findGuarded({ a: KEY.slice(0, 20), b: KEY.slice(20) }, own, []).own).not.toEqual([])
    // Arguments are judged in the order of their names, which the caller chooses.
    expect(findGuarded({ a: KEY.slice(20), b: 'x', c: KEY.slice(0, 20) }, own, []).own).not.toEqual([])
    expect(
      findGuarded({ list: [KEY.slice(0, 9), { x: KEY.slice(9, 30) }], y: KEY.slice(30) }, own, []).own,
    ).not.toEqual([])
  })
})

test('ordinary ids, numbers and addresses are not secrets in disguise, and are read completely', () => {
  for (let at = 0; at < 200; at += 1) {
    const id = randomBytes(24).toString('base64url')
    const args = {
      url: `https://docs.corp.test/d/${id}/edit?tab=${randomUUID()}`,
      text: `Rows 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22 and 23 of ${randomBytes(20).toString('hex')}`,
      list: Array.from({ length: 30 }, (_, index) => 40 + ((index * at) % 60)),
      path: `src/a/b-c-d-e-f-g/${id}`,
    }
    const { findings, complete } = scanArgs(args, argRules)
    expect([complete, findings.filter(({ kind, spelled }) => kind === 'secret' && spelled !== 'plainly')]).toEqual([
      true,
      [],
    ])
    expect(findGuarded(args, own, []).own).toEqual([])
  }
})
