import { mkdir, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'

/** Atomically, and off the event loop. Callers in one process write in sequence; two processes do not disturb each other. */
export async function writeAtomically(file: string, text: string): Promise<Result<void>> {
  const part = `${file}.${process.pid}.new`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    const handle = await open(part, 'w', 0o600)
    try {
      await handle.writeFile(`${text}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(part, file)
    await syncFolder(dirname(file))
    return ok(undefined)
  } catch (error) {
    return refuse('audit.unavailable', { file, says: error instanceof Error ? error.message : String(error) })
  }
}

/** Makes the new name durable. Windows has no such call, and needs none. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
