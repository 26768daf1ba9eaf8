import { globSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { rolldown, type Plugin } from 'rolldown'

type Package = { readonly name: string; readonly version: string; readonly license: string }

const source = (path: string) => join(import.meta.dirname, 'src', path)
/** Scripts of threads, which only some builds have. */
const threads = globSync('guests/*/scanner/*-thread.ts', { cwd: source('.') })
const demo = globSync('guests/demo/servers/*.ts', { cwd: source('.') }).map((path) => basename(path))

/** Loaded by every gate, and plain enough to be bundled: no scripts of threads, no files beside them, no native code. */
const INSIDE = [
  '@asteasolutions/zod-to-openapi',
  '@hono/node-server',
  '@hono/zod-openapi',
  '@hono/zod-validator',
  '@marcbachmann/cel-js',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/core',
  'ajv',
  'canonicalize',
  'commander',
  'fast-deep-equal',
  'fast-uri',
  'hono',
  'jose',
  'json-schema-traverse',
  'unbash',
  'yaml',
  'zod',
]
const isInside = (id: string) => INSIDE.some((name) => id === name || id.startsWith(`${name}/`))

/** Zod's messages in fifty other languages, which nothing selects. */
const onlyEnglish: Plugin = {
  name: 'only-english',
  load: (id) => (id.endsWith('/zod/v4/locales/index.js') ? "export { default as en } from './en.js'" : undefined),
}

/** The MCP client contains Ajv a second time, for `callTool`, which the gate does not use (adapters/upstream/discover.ts). */
const oneAjv: Plugin = {
  name: 'one-ajv',
  load: (id) =>
    id.endsWith('/@modelcontextprotocol/client/dist/shimsNode.mjs')
      ? 'export const CORS_IS_POSSIBLE = false\nexport const DefaultJsonSchemaValidator = undefined'
      : undefined,
}

/**
 * Builds what is published: our own thousand modules and the libraries that every gate loads, as a few files, because finding and
 * reading each module costs more than running it, and V8 keeps the text of each. The other libraries stay outside. All chunks lie
 * in `dist/main`, so a path that the code takes from its own place (`../../bin/sluice`) is the same in every chunk.
 * Tests add scripts of their own.
 */
export async function writeBundle(
  dist: string,
  more: Readonly<Record<string, string>> = {},
  plugins: readonly Plugin[] = [],
): Promise<void> {
  const bundle = await rolldown({
    input: {
      'main/main': source('main/main.ts'),
      // Threads: started by their path.
      'main/worker': source('adapters/stores/sqlite/worker.ts'),
      ...Object.fromEntries(threads.map((path) => [`main/${basename(path, '.ts')}`, source(path)])),
      'client/client': source('client/client.ts'),
      ...more,
      ...Object.fromEntries(demo.map((name) => [`demo/${name.slice(0, -3)}`, source(`guests/demo/servers/${name}`)])),
    },
    platform: 'node',
    plugins: [onlyEnglish, oneAjv, ...plugins],
    external: (id) => !id.startsWith('.') && !id.startsWith('/') && !isInside(id),
  })
  const { output } = await bundle.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'main/[name]-[hash].js',
    // A running gate keeps its own text in memory, so spaces and comments are left out, and variables get short names. Functions and
    // classes keep theirs, for stack traces.
    minify: { compress: false, mangle: { keepNames: true, toplevel: true }, codegen: { removeWhitespace: true } },
  })

  rmSync(dist, { recursive: true, force: true })
  for (const file of output) {
    if (file.type !== 'chunk') throw new Error(`the bundle holds ${file.fileName}, which is no script`)
    const place = join(dist, file.fileName)
    mkdirSync(dirname(place), { recursive: true })
    // One character beyond Latin-1 would make V8 keep the whole file with two bytes for each character.
    writeFileSync(place, file.code.replaceAll(/[\u0080-\uffff]/g, escaped))
  }

  writeFileSync(
    join(dist, 'LICENSES.txt'),
    licences(output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))),
  )
}

/** The licences of the libraries that the bundle contains. */
function licences(modules: readonly string[]): string {
  const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? [])
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Package
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
    return `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(join(folder, file), 'utf8')}`
  })
  return texts.join('\n\n')
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

if (import.meta.main) await writeBundle(process.argv[2] ?? join(import.meta.dirname, 'dist'))
