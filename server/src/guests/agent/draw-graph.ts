import { AGENT_NODES } from './agent.ts'
import { EDGES, NODES } from './graph.ts'

/** The graph as a Mermaid diagram, from the same table that threads follow. */
export function drawAgentGraph(): string {
  const nodes = AGENT_NODES.map((node) => `  ${node}["${node}<br/>${NODES[node].says}"]`)
  const edges = EDGES.map(({ from, when, to }) => `  ${from} -- "${when}" --> ${to}`)
  return ['flowchart TD', ...nodes, ...edges].join('\n')
}
