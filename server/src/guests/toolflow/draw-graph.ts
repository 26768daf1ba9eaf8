import { TOOLFLOW_NODES } from './toolflow.ts'
import { EDGES, NODES } from './graph.ts'

/** The graph as a Mermaid diagram, from the same data that flows follow. */
export function drawGraph(): string {
  const nodes = TOOLFLOW_NODES.map((node) => `  ${node}["${node}<br/>${NODES[node].says}"]`)
  const edges = EDGES.map(({ from, when, to }) => `  ${from} -- "${when}" --> ${to}`)
  return ['flowchart TD', ...nodes, ...edges].join('\n')
}
