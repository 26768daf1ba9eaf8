import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Sample } from './labels.ts'

/** Reads labelled samples: JSON Lines, gzipped or not. */
export function samplesIn(file: string): Sample[] {
  const bytes = readFileSync(file)
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Sample)
}
