import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { JsonObject } from '../../server/src/kernel/contract/json.ts'
import type { ToolDefinition } from '../../server/src/kernel/contract/tool.ts'

/** `undefined`: the vendor's hints do not say. */
export type LabelledTool = {
  readonly group: string
  readonly definition: ToolDefinition
  readonly writes: boolean
  readonly destroys: boolean | undefined
}

type Line = {
  source?: string
  server?: string
  name: string
  title?: string
  description?: string | null
  inputSchema?: JsonObject | null
  labels?: { readOnlyHint?: boolean; destructiveHint?: boolean }
}

/** JSON Lines, gzipped or not. */
export function labelledTools(file: string): LabelledTool[] {
  const bytes = readFileSync(file)
  const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString('utf8')
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => labelled(JSON.parse(line) as Line))
}

function labelled(line: Line): LabelledTool {
  const { readOnlyHint, destructiveHint } = line.labels ?? {}
  return {
    group: line.server ?? line.source ?? 'unnamed',
    // Only what every tool server states: the inference never gets the hints.
    definition: {
      name: line.name,
      ...(line.title === undefined ? {} : { title: line.title }),
      description: line.description ?? '',
      inputSchema: line.inputSchema ?? {},
    },
    writes: readOnlyHint !== true,
    destroys: readOnlyHint === true ? false : destructiveHint,
  }
}
