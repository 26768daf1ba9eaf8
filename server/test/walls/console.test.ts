import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const src = resolve(import.meta.dirname, '../../../console/src')
const server = resolve(import.meta.dirname, '../../src')
const IMPORT = /\bfrom\s*'(\.[^']+)'|\bimport\(\s*'(\.[^']+)'|^import\s*'(\.[^']+)'/gm

type Import = { readonly file: string; readonly target: string }

/** Why a file of the console may not import another file of ours, or undefined. Paths are below `console/src`. */
function faultOf({ file, target }: Import): string | undefined {
  const of = (path: string) => /^guests\/([^/]+)\//.exec(path)?.[1]
  const [own, other] = [of(file), of(target)]
  const gates = of(relative(server, resolve(src, target)))
  if (other !== undefined && other !== own && !(file === 'guests.ts' && target === `guests/${other}/index.ts`))
    return `${file} imports ${target}: only guests.ts names the guests, one line for each`
  if (gates !== undefined && gates !== own)
    return `${file} imports a file of the gate's guest \`${gates}\`: only the folder guests/${gates} may`
  return undefined
}

const imports = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .flatMap((file) =>
    [...readFileSync(join(src, file), 'utf8').matchAll(IMPORT)].map((match) => ({
      file,
      target: relative(src, resolve(src, dirname(file), match[1] ?? match[2] ?? match[3] ?? '')),
    })),
  )

test('a guest of the console imports only itself and what all share, and nothing imports it but the list', () => {
  expect(imports.length).toBeGreaterThan(100)
  expect(imports.flatMap((one) => faultOf(one) ?? [])).toEqual([])
})

test('a guest of the console is a guest of the gate', () => {
  const folder = join(src, 'guests')
  const guests = existsSync(folder) ? readdirSync(folder) : []
  expect(guests.filter((name) => !existsSync(join(server, 'guests', name)))).toEqual([])
})

test('a forbidden import is found, with the reason', () => {
  expect(faultOf({ file: 'shell/nav.tsx', target: 'guests/flows/index.ts' })).toMatch(/one line for each/)
  expect(faultOf({ file: 'guests/agent/x.tsx', target: 'guests/flows/x.tsx' })).toMatch(/one line for each/)
  expect(faultOf({ file: 'guests/agent/x.tsx', target: 'runs/run-graph.ts' })).toBeUndefined()
  expect(faultOf({ file: 'guests.ts', target: 'guests/flows/index.ts' })).toBeUndefined()
  expect(faultOf({ file: 'api/x.ts', target: '../../server/src/guests/flows/flows.ts' })).toMatch(/may$/)
})
