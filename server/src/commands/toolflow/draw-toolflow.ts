import { drawGraph } from '../../core/toolflow/draw-graph.ts'

/** The toolflow's graph, as Mermaid text. Needs no gate. */
export const drawToolflow = (): string => drawGraph()
