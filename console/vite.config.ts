import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const COMPRESSIBLE = /\.(?:js|css|html|svg|webmanifest)$/

/** The gate serves these files as they are, so each one is compressed once, when the console is built. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    writeBundle({ dir }) {
      if (dir === undefined) return
      for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
        if (!COMPRESSIBLE.test(name)) continue
        const bytes = readFileSync(join(dir, name))
        const quality = bytes.length > 600_000 ? 9 : 11
        writeFileSync(
          join(dir, `${name}.br`),
          brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
        )
        writeFileSync(join(dir, `${name}.gz`), gzipSync(bytes))
      }
    },
  }
}

/**
 * The page lists every file of its first route, so that they are requested at once. The stylesheet comes first: it is small, and nothing
 * is shown without it.
 */
function listedFirst(): Plugin {
  return {
    name: 'listed-first',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
        const entry = chunks.find(({ isEntry }) => isEntry)
        const sizeOf = (name: string): number => chunks.find(({ fileName }) => fileName === name)?.code.length ?? 0
        const needed = new Set<string>()
        const add = (name: string): void => {
          if (needed.has(name) || name === entry?.fileName) return
          needed.add(name)
          for (const other of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) add(other)
        }
        for (const name of [...(entry?.imports ?? []), ...(entry?.dynamicImports ?? [])]) add(name)
        const [style = ''] = /[ \t]*<link rel="stylesheet"[^>]*>\n/.exec(html) ?? []
        // Long files first: browsers open few connections at once.
        const preloads = [...needed]
          .toSorted((a, b) => sizeOf(b) - sizeOf(a))
          .map((name) => `    <link rel="modulepreload" crossorigin href="/${name}">\n`)
        return html
          .replace(style, '')
          .replaceAll(/[ \t]*<link rel="modulepreload"[^>]*>\n/g, '')
          .replace(/[ \t]*<script type="module"[^>]*><\/script>\n/, (script) => style + script + preloads.join(''))
      },
    },
  }
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react(), listedFirst(), compressed()],
  build: {
    target: 'es2022',
    // A data: URL would need an exception in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2_000,
    reportCompressedSize: false,
    rolldownOptions: {
      // On a busy machine it warns that plugins were slow, which is no fault of this build.
      checks: { bundlerTimings: false },
      output: {
        codeSplitting: {
          // A phone opens a connection for each file it needs first, so those are few. They are evaluated one after the other.
          groups: [
            {
              name: 'base',
              test: /vite\/preload-helper|node_modules\/(?:react|react-dom|scheduler)\/|console\/src\/(?:lib\/(?:store|theme)|api\/(?:session|login-words))\.ts/,
            },
            {
              name: 'first',
              test: /node_modules\/(?:use-sync-external-store|@tanstack\/(?!.*virtual)[^/]+)\/|console\/src\/(?:router|guests\.ts|guests\/[^/]+\/index|api\/|parts\/|lib\/(?!passkey|web-push|save-file)|inbox\/(?:inbox-page|held-row|use-inbox|packet-words)|shell\/(?!palette|pause-dialogs|keys-dialog))|server\/src\/(?:client\/|kernel\/contract\/(?:alike|visible-text))/,
              includeDependenciesRecursively: false,
            },
          ],
        },
      },
    },
  },
})
