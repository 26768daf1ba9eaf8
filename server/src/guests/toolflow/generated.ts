import { drawGraph } from '../../kernel/runs/draw-graph.ts'
import { GRAPH } from './graph.ts'

/** The README is written by hand; its diagram is generated. */
export const generated = {
  'server/src/guests/toolflow/README.md': (current: string) =>
    current.replace(
      /<!-- graph -->[\s\S]*<!-- \/graph -->/,
      ['<!-- graph -->', '', '```mermaid', drawGraph(GRAPH), '```', '', '<!-- /graph -->'].join('\n'),
    ),
}
