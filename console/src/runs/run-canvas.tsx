import '@xyflow/react/dist/style.css'
import {
  Background,
  Handle,
  MarkerType,
  Position,
  ReactFlow,
  useReactFlow,
  useStore,
  type Edge,
  type Node,
  type NodeProps,
} from '@xyflow/react'
import ELK from 'elkjs/lib/elk.bundled.js'
import { useEffect, useState } from 'react'
import type { Walked, WalkedNode } from './run-graph.ts'

const WIDTH = 168
const HEIGHT = 54
const CLOSE = 0.8
const elk = new ELK()

type Placed = ReadonlyMap<string, { readonly x: number; readonly y: number }>

async function place(graph: Walked): Promise<Placed> {
  const laid = await elk.layout({
    id: 'run',
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': graph.from === 'journal' ? 'RIGHT' : 'DOWN',
      'elk.layered.spacing.nodeNodeBetweenLayers': '56',
      'elk.spacing.nodeNode': '36',
    },
    children: graph.nodes.map(({ id }) => ({ id, width: WIDTH, height: HEIGHT })),
    edges: graph.edges.map(({ from, to }, at) => ({ id: `e${at}`, sources: [from], targets: [to] })),
  })
  return new Map((laid.children ?? []).map(({ id, x = 0, y = 0 }) => [id, { x, y }]))
}

type StepNode = Node<{ readonly of: WalkedNode; readonly waits: boolean }, 'step'>

function StepView({ data: { of, waits } }: NodeProps<StepNode>) {
  const name = ['step-node', of.times > 0 ? 'walked' : '', of.here ? (waits ? 'waits' : 'runs') : ''].join(' ')
  return (
    <div className={name}>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <b>{of.id}</b>
      <span>{of.times === 0 ? 'not reached' : of.here ? (waits ? 'waits here' : 'is here') : of.says}</span>
      {of.times > 1 ? <span className="times">{of.times}×</span> : null}
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  )
}

function KeepInView({ at }: { readonly at: { readonly x: number; readonly y: number } }) {
  const flow = useReactFlow()
  const [width, height] = usePaneSize()
  const { x, y } = at
  useEffect(() => {
    if (width > 0) void flow.setCenter(x + WIDTH / 2, y + HEIGHT / 2, { zoom: CLOSE })
  }, [flow, x, y, width, height])
  return null
}

/** Fits the whole graph into the pane, also after the pane was resized. */
function FitAgain() {
  const flow = useReactFlow()
  const [width, height] = usePaneSize()
  useEffect(() => {
    if (width > 0) void flow.fitView()
  }, [flow, width, height])
  return null
}

/** The pane has no size before it is measured. */
const usePaneSize = () => [useStore(({ width }) => width), useStore(({ height }) => height)] as const

const NODE_TYPES = { step: StepView }

/** `close` keeps the node where the run is in view, in a size that can be read. Loaded with the first graph: drawing and layout are larger than the rest of the console. */
export function RunCanvas({ graph, close = false }: { readonly graph: Walked; readonly close?: boolean }) {
  const [placed, setPlaced] = useState<Placed>()
  const shape = JSON.stringify([graph.nodes.map(({ id }) => id), graph.edges.map(({ from, to }) => [from, to])])
  useEffect(() => {
    let isStale = false
    const run = async () => {
      const next = await place(graph)
      if (!isStale) setPlaced(next)
    }
    void run()
    return () => {
      isStale = true
    }
  }, [shape])
  if (placed === undefined) return null
  const here = close ? placed.get(graph.nodes.find((node) => node.here)?.id ?? '') : undefined
  const waits = graph.status === 'waiting' || graph.status === 'faulted'
  const nodes: StepNode[] = graph.nodes.map((of) => ({
    id: of.id,
    type: 'step',
    position: placed.get(of.id) ?? { x: 0, y: 0 },
    data: { of, waits },
    width: WIDTH,
    height: HEIGHT,
    ariaLabel: `${of.id}, ${of.times === 0 ? 'not reached' : `visited ${of.times} times`}${of.here ? ', current' : ''}`,
  }))
  const edges: Edge[] = graph.edges.map(({ from, to, when, times, last }, at) => ({
    id: `e${at}`,
    source: from,
    target: to,
    label: times > 0 || graph.nodes.length < 8 ? when : undefined,
    className: last ? 'edge-last' : times > 0 ? 'edge-walked' : 'edge-never',
    markerEnd: { type: MarkerType.ArrowClosed },
    focusable: false,
  }))
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      nodesDraggable={false}
      nodesConnectable={false}
      edgesFocusable={false}
      fitView={here === undefined}
      minZoom={0.3}
      maxZoom={1.5}
      proOptions={{ hideAttribution: true }}
      aria-label="Graph of the run"
    >
      <Background gap={20} size={1} />
      {here === undefined ? <FitAgain /> : <KeepInView at={here} />}
    </ReactFlow>
  )
}
