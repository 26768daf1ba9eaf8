import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rolldown } from 'rolldown'

/**
 * Builds what is published: our own thousand modules as a few files, because finding and reading each module costs more than running it.
 * Libraries stay outside and are installed as usual. All chunks lie in `dist/boot`, so a path that the code takes from its own place
 * (`../../bin/sluice`) is the same in every chunk.
 */
const DIST = join(import.meta.dirname, 'dist')
const source = (path: string) => join(import.meta.dirname, 'src', path)
const demo = readdirSync(source('demo')).filter((name) => name.endsWith('.ts'))

const bundle = await rolldown({
  input: {
    'boot/main': source('boot/main.ts'),
    // Threads: started by their path.
    'boot/worker': source('stores/sqlite/worker.ts'),
    'boot/scan-thread': source('boot/scanner/scan-thread.ts'),
    'client/client': source('client/client.ts'),
    ...Object.fromEntries(demo.map((name) => [`demo/${name.slice(0, -3)}`, source(`demo/${name}`)])),
  },
  platform: 'node',
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
})
const { output } = await bundle.generate({
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'boot/[name]-[hash].js',
  // A running gate keeps its own text in memory, so spaces and comments are left out. Names stay, for stack traces.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
})

rmSync(DIST, { recursive: true, force: true })
for (const file of output) {
  if (file.type !== 'chunk') throw new Error(`the bundle holds ${file.fileName}, which is no script`)
  const place = join(DIST, file.fileName)
  mkdirSync(dirname(place), { recursive: true })
  // One character beyond Latin-1 would make V8 keep the whole file with two bytes for each character.
  writeFileSync(place, file.code.replaceAll(/[\u0080-\uffff]/g, escaped))
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
