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

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react(), compressed()],
  build: {
    target: 'es2022',
    // A data: URL would need an exception in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2_000,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // A phone opens a connection for each file it needs first, so those are few: what every page needs is one file.
          groups: [
            {
              name: 'first',
              test: /rolldown\/runtime|node_modules\/(?:react|react-dom|scheduler|use-sync-external-store|@tanstack\/(?!.*virtual)[^/]+)\/|console\/src\/(?:api|lib|parts)\/|server\/src\//,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
})
