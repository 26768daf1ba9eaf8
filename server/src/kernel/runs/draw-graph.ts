import type { RunGraph } from '../contract/run.ts'

/** The graph of a kind of run as a Mermaid diagram, from the same table that its runs follow. */
export function drawGraph({ nodes, edges }: RunGraph): string {
  const drawn = nodes.map(({ id, says }) => `  ${id}["${id}<br/>${says}"]`)
  const arrows = edges.map(({ from, when, to }) => `  ${from} -- "${when}" --> ${to}`)
  return ['flowchart TD', ...drawn, ...arrows].join('\n')
}
